// Which local files are loaded, and which of them changed on disk since: those, and what imports them, are loaded anew.
(function (kernel) {
  'use strict';
  const path = kernel.require('node:path');
  const fs = kernel.require('node:fs');
  const Module = kernel.require('node:module');

  // The file that cells pretend to be: what they load resolves from its folder.
  kernel.here = () => path.join(kernel.directory(), '[cell]');

  const files = new Map(); // path -> { stamp, version, importers }
  const { statSync } = fs;
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

  kernel.localFiles = { files, isLocal, loaded, checkChanged, forget };
})
