// `require` and `import` of cells: from the session's directory, not from where this addon is installed.
(kernel) => {
  'use strict';
  const { Script, constants } = kernel.require('node:vm');
  const path = kernel.require('node:path');
  const { createRequire } = kernel.require('node:module');

  let directory = kernel.facts.directory;
  kernel.directory = () => directory;

  kernel.defaultLoader = constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;

  let load;
  let loadedFrom;
  const loader = () => {
    if (loadedFrom !== directory) {
      load = new Script('(specifier, options) => import(specifier, options)', {
        filename: path.join(directory, 'evalcell'),
        importModuleDynamically: kernel.defaultLoader,
      }).runInThisContext();
      loadedFrom = directory;
    }
    return load;
  };
  kernel.import = (specifier, options) => loader()(specifier, options);
  kernel.hide('_$load', (specifier, options) => kernel.import(specifier, options));

  const cellRequire = createRequire(path.join(directory, 'evalcell'));
  kernel.hide('require', cellRequire);
}
