// `require` and `import` of cells: from the session's directory, fresh when a local file changed, TypeScript by path.
(function (kernel) {
  'use strict';
  const { native } = kernel;
  const { Script, constants } = kernel.require('node:vm');
  const path = kernel.require('node:path');
  const fs = kernel.require('node:fs');
  const { pathToFileURL, fileURLToPath } = kernel.require('node:url');
  const Module = kernel.require('node:module');
  const { isBuiltin: isBuiltinName, createRequire } = Module;

  kernel.defaultLoader = constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  // The file that cells pretend to be: what they load resolves from its folder.
  const here = () => path.join(kernel.directory(), '[cell]');
  const isBuiltin = (id) => typeof id === 'string' && (isBuiltinName(id) || id.startsWith('node:'));

  // ---- which local files are loaded, and which of them changed ----------------------------------------------------

  const files = new Map(); // path → { stamp, version, importers }
  const statSync = fs.statSync;
  const readFileSync = fs.readFileSync;
  const stampOf = (file) => {
    try {
      const { mtimeNs, size, ino } = statSync(file, { bigint: true });
      return `${mtimeNs} ${size} ${ino}`;
    } catch {
      return 'gone';
    }
  };
  const isLocal = (file) => !file.includes(`${path.sep}node_modules${path.sep}`);
  const loaded = (file) => {
    let entry = files.get(file);
    if (entry === undefined) {
      entry = { stamp: stampOf(file), version: 0, importers: new Set() };
      files.set(file, entry);
    }
    return entry;
  };

  let checked = null;
  /** Once per run: whatever changed on disk, and whatever imports it, is loaded anew from now on. */
  const checkChanged = () => {
    const { current } = kernel;
    if (current !== null && checked === current) return;
    checked = current;
    const stale = [];
    for (const [file, entry] of files) {
      const stamp = stampOf(file);
      if (stamp !== entry.stamp) {
        entry.stamp = stamp;
        stale.push(file);
      }
    }
    forget(stale);
  };
  const forget = (stale) => {
    const seen = new Set(stale);
    for (const file of stale) {
      const entry = files.get(file);
      if (entry === undefined) continue;
      entry.version = ++lastVersion;
      delete Module._cache[file];
      for (const importer of entry.importers) {
        if (!seen.has(importer)) {
          seen.add(importer);
          stale.push(importer);
        }
      }
    }
  };
  let lastVersion = 0;

  const load = Module.prototype.load;
  Module.prototype.load = function (filename) {
    if (isLocal(filename)) {
      const entry = loaded(filename);
      entry.stamp = stampOf(filename);
      const importer = this.parent?.filename ?? kernel.parentOf(this);
      if (typeof importer === 'string') entry.importers.add(importer);
    }
    return load.call(this, filename);
  };
  kernel.parentOf = (module) => Object.getOwnPropertySymbols(module)
    .map((symbol) => (symbol.description === 'kModuleParent' ? module[symbol]?.filename : undefined)).find(Boolean);
  // A module that was in the cache already has one importer more.
  const nativeLoad = Module._load;
  Module._load = function (request, parent, isMain) {
    if (parent?.filename && typeof request === 'string' && /^[./]/.test(request)) {
      try {
        const file = Module._resolveFilename(request, parent, isMain);
        if (path.isAbsolute(file) && isLocal(file)) loaded(file).importers.add(parent.filename);
      } catch {
        // The real call says what is wrong.
      }
    }
    return nativeLoad.call(this, request, parent, isMain);
  };

  // ---- TypeScript -------------------------------------------------------------------------------------------------

  const TYPESCRIPT = /\.[cm]?ts$/;
  const typescriptSource = (file) => {
    try {
      return native.transformModule(readFileSync(file, 'utf8'), file);
    } catch (error) {
      // As Node has it: the place before the error, in its stack.
      const failure = new SyntaxError(error.message.slice(error.message.lastIndexOf('\n') + 1).replace(/^SyntaxError: /, ''));
      failure.stack = error.message;
      throw failure;
    }
  };
  const MODULE_SYNTAX = /(?:^|[;}\n])\s*(?:import\b(?!\s*[(.])|export\b)/;
  const COMMON_SYNTAX = /\bmodule\.exports\b|\bexports\.|\brequire\s*\(/;
  const typescriptFormat = (file, source) => {
    if (file.endsWith('.mts')) return 'module';
    if (file.endsWith('.cts')) return 'commonjs';
    for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
      try {
        const { type } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
        if (type === 'module' || type === 'commonjs') return type;
        break;
      } catch {
        if (folder === path.dirname(folder)) break;
      }
    }
    return MODULE_SYNTAX.test(source) || !COMMON_SYNTAX.test(source) ? 'module' : 'commonjs';
  };
  for (const extension of ['.ts', '.cts', '.mts']) {
    Module._extensions[extension] = (module, filename) => {
      const source = typescriptSource(filename);
      if (typescriptFormat(filename, source) === 'module') {
        const error = new Error(`${filename} is an ES module; load it with import`);
        error.code = 'ERR_REQUIRE_ESM';
        throw error;
      }
      module._compile(source, filename);
    };
  }

  // ---- hooks in the ES module loader ------------------------------------------------------------------------------

  const inFlight = new Set(); // specifiers' records of imports that have not settled
  const recent = new Set(); // files resolved since the oldest of them began

  /** The URL under which a file is loaded now: a new one after it changed. */
  const located = (url, parentURL) => {
    if (!url.startsWith('file:')) return url;
    const file = fileURLToPath(url);
    if (inFlight.size > 0) recent.add(file);
    if (!isLocal(file) && !files.has(file)) return url;
    const entry = loaded(file);
    if (parentURL?.startsWith('file:')) {
      const parent = fileURLToPath(parentURL);
      if (parent !== here()) entry.importers.add(parent);
    }
    if (entry.version === 0) return url;
    return `${url}${url.includes('?') ? '&' : '?'}evalcell=${entry.version}`;
  };
  const typescriptModule = (url) => {
    const file = fileURLToPath(url);
    const source = typescriptSource(file);
    return { format: typescriptFormat(file, source), source, shortCircuit: true };
  };
  const isTypescript = (url) => url.startsWith('file:') && TYPESCRIPT.test(url.split(/[?#]/, 1)[0]);
  // A TypeScript file may name its neighbour by what it would be compiled to.
  const orTypescript = (specifier, parentURL, resolve) => {
    try {
      return resolve(specifier);
    } catch (error) {
      if (error?.code === 'ERR_MODULE_NOT_FOUND' && /^[./].*\.[cm]?js$/.test(specifier) && TYPESCRIPT.test(parentURL ?? '')) {
        return resolve(specifier.replace(/js$/, 'ts'));
      }
      throw error;
    }
  };

  let hooked = false;
  const hook = () => {
    if (hooked) return;
    hooked = true;
    if (typeof Module.registerHooks === 'function') {
      Module.registerHooks({
        resolve(specifier, context, next) {
          const result = orTypescript(specifier, context.parentURL, (name) => next(name, context));
          // `require` goes by file name and has its own cache.
          if (!context.conditions?.includes('import')) return result;
          return { ...result, url: located(result.url, context.parentURL) };
        },
        load(url, context, next) {
          return isTypescript(url) && context.format !== 'json' ? typescriptModule(url) : next(url, context);
        },
      });
      return;
    }
    hookInternals();
  };
  // Node 20 has no hooks on this thread, but its loader's methods can be replaced.
  const hookInternals = () => {
    let loader;
    try {
      loader = kernel.require('internal/modules/esm/loader').getOrInitializeCascadedLoader();
    } catch {
      return;
    }
    const { resolve, resolveSync, load: loadModule } = loader;
    const relocated = (result, parentURL) => ({ __proto__: null, ...result, url: located(result.url, parentURL) });
    loader.resolve = async function (specifier, parentURL, attributes) {
      let result;
      try {
        result = await resolve.call(this, specifier, parentURL, attributes);
      } catch (error) {
        result = await orTypescript(specifier, parentURL, (name) => {
          if (name === specifier) throw error;
          return resolve.call(this, name, parentURL, attributes);
        });
      }
      return relocated(result, parentURL);
    };
    loader.resolveSync = function (specifier, parentURL, attributes) {
      return relocated(resolveSync.call(this, specifier, parentURL, attributes), parentURL);
    };
    loader.load = async function (url, context) {
      if (!isTypescript(url)) return loadModule.call(this, url, context);
      return { __proto__: null, responseURL: url, ...typescriptModule(url) };
    };
  };

  // ---- what cells call --------------------------------------------------------------------------------------------

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
    if (isBuiltin(specifier)) {
      kernel.prepare?.();
      return nodeImport(specifier, options);
    }
    kernel.prepare?.();
    hook();
    checkChanged();
    const record = {};
    if (inFlight.size === 0) recent.clear();
    inFlight.add(record);
    try {
      return await nodeImport(`${specifier}`, options);
    } finally {
      inFlight.delete(record);
    }
  };
  kernel.hide('_$load', (specifier, options) => kernel.import(specifier, options));

  // An import cut off by a stop leaves its job hanging in the loader for ever: its files get new names.
  kernel.cleanups.push(() => {
    if (inFlight.size === 0) return;
    inFlight.clear();
    for (const file of recent) loaded(file);
    forget([...recent]);
    recent.clear();
  });

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
