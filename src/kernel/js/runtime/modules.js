// `require` and `import` of cells: from the session's directory, fresh when a local file changed, TypeScript by path.
(function (kernel) {
  'use strict';
  const { Script, constants } = kernel.require('node:vm');
  const path = kernel.require('node:path');
  const { pathToFileURL } = kernel.require('node:url');
  const Module = kernel.require('node:module');
  const { isBuiltin: isBuiltinName, createRequire } = Module;
  const { checkChanged } = kernel.localFiles;

  kernel.defaultLoader = constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const { here } = kernel;
  const isBuiltin = (id) => typeof id === 'string' && (isBuiltinName(id) || id.startsWith('node:'));

  let importer;
  let importerDirectory;
  const nodeImport = (specifier, options) => {
    const directory = kernel.directory();
    if (importerDirectory !== directory) {
      importer = new Script('(specifier, options) => import(specifier, options)', {
        filename: here(),
        importModuleDynamically: kernel.defaultLoader,
      }).runInThisContext();
      importerDirectory = directory;
    }
    return options === undefined ? importer(specifier) : importer(specifier, options);
  };

  /** `import()` from the session's directory. */
  kernel.import = async (specifier, options) => {
    const caller = {};
    Error.captureStackTrace(caller, kernel.import);
    try {
      return await importHere(specifier, options);
    } catch (error) {
      throw kernel.withPlace(error, caller.stack);
    }
  };
  const importHere = async (specifier, options) => {
    kernel.prepare?.();
    if (isBuiltin(specifier)) return nodeImport(specifier, options);
    checkChanged();
    return kernel.hooked(() => nodeImport(`${specifier}`, options));
  };
  kernel.hide('_$load', (specifier, options) => kernel.import(specifier, options));

  let baseRequire;
  let requireDirectory;
  const cellModule = new Module('[cell]');
  const base = () => {
    const directory = kernel.directory();
    if (requireDirectory !== directory) {
      baseRequire = createRequire(here());
      requireDirectory = directory;
      cellModule.filename = here();
      cellModule.paths = Module._nodeModulePaths(directory);
      globalThis.__filename === undefined || hideFile();
    }
    return baseRequire;
  };
  const require = function require(id) {
    kernel.prepare?.();
    if (!isBuiltin(id)) checkChanged();
    try {
      return base()(id);
    } catch (error) {
      const caller = {};
      Error.captureStackTrace(caller, require);
      throw kernel.withPlace(error, caller.stack);
    }
  };
  require.resolve = (request, options) => base().resolve(request, options);
  require.resolve.paths = (request) => base().resolve.paths(request);
  Object.defineProperty(require, 'cache', { get: () => base().cache, enumerable: true });
  Object.defineProperty(require, 'extensions', { get: () => base().extensions, enumerable: true });
  Object.defineProperty(require, 'main', { value: undefined, enumerable: true });

  const hideFile = () => {
    kernel.hide('__dirname', kernel.directory());
    kernel.hide('__filename', here());
  };
  kernel.hide('require', require);
  kernel.hide('module', cellModule);
  kernel.hide('exports', cellModule.exports);
  hideFile();
  cellModule.filename = here();
  cellModule.require = require;
  kernel.directoryChanged.push(() => {
    base();
    hideFile();
  });

  const meta = {
    get url() { return pathToFileURL(here()).href; },
    get filename() { return here(); },
    get dirname() { return kernel.directory(); },
    resolve: (specifier) => {
      if (isBuiltin(specifier)) return specifier.startsWith('node:') ? specifier : `node:${specifier}`;
      if (/^[a-z][a-z+.-]*:/i.test(specifier)) return specifier;
      return pathToFileURL(base().resolve(specifier)).href;
    },
  };
  kernel.hide('_$meta', meta);

  // ---- static imports of cells ------------------------------------------------------------------------------------

  /** Loads a cell's imports in order, then binds all their names: nothing is set when one of them fails. */
  kernel.bindImports = async (imports, cell) => {
    const bound = [];
    for (const request of imports) {
      const { specifier, attributes, names } = request;
      try {
        const options = Object.keys(attributes).length === 0 ? undefined : { with: attributes };
        const namespace = await importHere(specifier, options);
        for (const name of names) {
          const { how, imported, optional } = name;
          const key = how === 'default' ? 'default' : imported;
          if (how !== 'namespace' && !(key in namespace)) {
            if (optional) continue;
            throw new SyntaxError(`The requested module '${specifier}' does not provide an export named '${key}'`);
          }
          bound.push([name, namespace, how, key, isBuiltin(specifier)]);
        }
      } catch (error) {
        kernel.withPlace(error, `    at ${cell}:${request.line}:${request.column}`);
        throw new kernel.ImportFailure(error, request);
      }
    }
    for (const [name, namespace, how, key, isFixed] of bound) {
      if (how === 'namespace') kernel.bindImport(name, namespace);
      else if (isFixed) kernel.bindImport(name, namespace[key]);
      else kernel.bindImport(name, undefined, () => namespace[key]);
    }
  };
  kernel.ImportFailure = class {
    constructor(error, { line, column }) {
      Object.assign(this, { error, line, column });
    }
  };
})
