// Hooks in Node's loader of ES modules, and its imports in flight.
(function (kernel) {
  'use strict';
  const { fileURLToPath } = kernel.require('node:url');
  const Module = kernel.require('node:module');
  const { files, isLocal, loaded, forget } = kernel.localFiles;
  const { here } = kernel;
  const { isTypescript, typescriptModule, orTypescript } = kernel.typescript;

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
  let hooked = false;
  const hook = () => {
    if (hooked) return;
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
    } else {
      hookInternals();
    }
    // Only now: a stop can come in the middle.
    hooked = true;
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

  // An import cut off by a stop leaves its job hanging in the loader for ever: its files get new names.
  kernel.cleanups.push(() => {
    if (inFlight.size === 0) return;
    inFlight.clear();
    for (const file of recent) loaded(file);
    forget([...recent]);
    recent.clear();
  });

  /** Runs `load`, an import, with the hooks in place. */
  kernel.hooked = async (load) => {
    hook();
    const record = {};
    if (inFlight.size === 0) recent.clear();
    inFlight.add(record);
    try {
      return await load();
    } finally {
      inFlight.delete(record);
    }
  };
})
