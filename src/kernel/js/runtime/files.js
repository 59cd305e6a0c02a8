// `fs` of cells: relative paths start at the session's directory, descriptors 0, 1 and 2 are the cell's own.
(function (kernel) {
  'use strict';
  const { native } = kernel;
  const fs = kernel.require('node:fs');
  const path = kernel.require('node:path');
  const { openSync } = fs;
  const posix = path.sep === '/';

  // ---- paths ------------------------------------------------------------------------------------------------------

  const STANDARD = /^\/(?:dev\/(?:std(in|out|err)|fd\/([012]))|proc\/(?:self|\d+)\/fd\/([012]))$/;
  const standardDevice = (text) => {
    const match = STANDARD.exec(text);
    if (match === null) return text;
    const which = match[1] ?? match[2] ?? match[3];
    if (which === 'in' || which === '0') return '/dev/null';
    if (text.startsWith('/proc/') && !text.startsWith('/proc/self/') && !text.startsWith(`/proc/${process.pid}/`)) return text;
    return `/proc/self/fd/${kernel.outputDescriptor()}`;
  };
  const located = (given) => {
    if (typeof given === 'string') {
      if (given === '') return given;
      if (posix) return given[0] === '/' ? (given.startsWith('/dev/') || given.startsWith('/proc/') ? standardDevice(given) : given) : `${kernel.directory()}/${given}`;
      return path.resolve(kernel.directory(), given);
    }
    if (posix && given instanceof Uint8Array && given.length > 0 && given[0] !== 47) {
      return Buffer.concat([Buffer.from(`${kernel.directory()}/`), given]);
    }
    return given;
  };
  const device = (given) =>
    typeof given === 'string' && posix && (given.startsWith('/dev/') || given.startsWith('/proc/')) ? standardDevice(given) : given;

  /** The write end of the running cell's own pipe, for what can only be given a descriptor. */
  kernel.outputDescriptor = () => native.outputDescriptor(kernel.owner());

  let empty;
  const nothing = () => (empty ??= openSync('/dev/null', 'r'));
  const descriptor = (fd) => {
    if (fd === 0) return nothing();
    return fd === 1 || fd === 2 ? kernel.outputDescriptor() : fd;
  };

  // ---- wrappers ---------------------------------------------------------------------------------------------------

  const replace = (owner, name, wrapper) => {
    const original = owner[name];
    for (const key of Reflect.ownKeys(original)) {
      if (key !== 'length' && key !== 'prototype') {
        Object.defineProperty(wrapper, key, Object.getOwnPropertyDescriptor(original, key));
      }
    }
    Object.defineProperty(wrapper, 'length', { value: original.length, configurable: true });
    owner[name] = wrapper;
  };
  const pathWrapper = (original, first, second, find) => function (...values) {
    if (first && typeof values[0] !== 'number') values[0] = find(values[0]);
    else if (first) values[0] = descriptor(values[0]);
    if (second) values[1] = find(values[1]);
    return Reflect.apply(original, this, values);
  };

  const ONE = ['access', 'appendFile', 'chmod', 'chown', 'exists', 'lchmod', 'lchown', 'lstat', 'lutimes', 'mkdir', 'mkdtemp', 'open',
    'opendir', 'readFile', 'readdir', 'readlink', 'realpath', 'rm', 'rmdir', 'stat', 'statfs', 'truncate', 'unlink', 'utimes', 'writeFile'];
  const TWO = ['copyFile', 'cp', 'link', 'rename'];
  const SECOND = ['symlink'];
  const names = [...ONE.map((name) => [name, true, false]), ...TWO.map((name) => [name, true, true]), ...SECOND.map((name) => [name, false, true])];
  for (const [name, first, second] of names) {
    if (typeof fs[name] === 'function') replace(fs, name, pathWrapper(fs[name], first, second, located));
    const sync = `${name}Sync`;
    // A thread with a directory of its own needs no help with relative paths here.
    if (typeof fs[sync] === 'function') replace(fs, sync, pathWrapper(fs[sync], first, second, kernel.ownDirectory ? device : located));
  }
  // Loading `fs.promises` takes Node milliseconds: it waits until somebody can see it.
  const { get: loadPromises } = Object.getOwnPropertyDescriptor(fs, 'promises');
  let promises;
  const wrappedPromises = () => {
    if (promises === undefined) {
      promises = loadPromises === undefined ? fs.promises : loadPromises.call(fs);
      for (const [name, first, second] of names) {
        if (typeof promises[name] === 'function') replace(promises, name, pathWrapper(promises[name], first, second, located));
      }
    }
    return promises;
  };
  kernel.preparations.push(wrappedPromises);
  if (loadPromises !== undefined) {
    Object.defineProperty(fs, 'promises', { get: wrappedPromises, configurable: true, enumerable: true });
  } else {
    wrappedPromises();
  }
  for (const name of ['watchFile', 'unwatchFile', 'openAsBlob']) {
    if (typeof fs[name] === 'function') replace(fs, name, pathWrapper(fs[name], true, false, located));
  }
  if (!kernel.ownDirectory) replace(fs, 'watch', pathWrapper(fs.watch, true, false, located));
  const { native: nativeRealpath } = fs.realpath;
  fs.realpath.native = function native(given, ...rest) {
    return Reflect.apply(nativeRealpath, this, [located(given), ...rest]);
  };
  if (!kernel.ownDirectory) {
    const { native: nativeSync } = fs.realpathSync;
    fs.realpathSync.native = (given, ...rest) => nativeSync(located(given), ...rest);
  }

  // ---- descriptors ------------------------------------------------------------------------------------------------

  const isOutput = (fd) => fd === 1 || fd === 2;
  const bytesOf = (data, offset, length, encodingOfText) => {
    if (typeof data === 'string') return Buffer.from(data, typeof encodingOfText === 'string' ? encodingOfText : 'utf8');
    const view = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    if (offset !== null && typeof offset === 'object') ({ offset, length } = offset);
    const start = offset ?? 0;
    return view.subarray(start, length === undefined || length === null ? undefined : start + length);
  };
  const print = (bytes) => {
    native.writeBytes(kernel.owner(), bytes);
    return bytes.length;
  };
  const later = (callback, ...values) => process.nextTick(callback, null, ...values);

  const { writeSync, write, writevSync, writev, closeSync, close, writeFileSync, writeFile, appendFileSync, appendFile } = fs;
  replace(fs, 'writeSync', function (fd, data, ...rest) {
    if (!isOutput(fd)) return Reflect.apply(writeSync, this, [fd, data, ...rest]);
    return print(bytesOf(data, rest[0], rest[1], rest[1]));
  });
  replace(fs, 'write', function (fd, data, ...rest) {
    if (!isOutput(fd)) return Reflect.apply(write, this, [fd, data, ...rest]);
    const callback = rest.pop();
    return later(callback, print(bytesOf(data, rest[0], rest[1], rest[1])), data);
  });
  replace(fs, 'writevSync', function (fd, views, ...rest) {
    if (!isOutput(fd)) return Reflect.apply(writevSync, this, [fd, views, ...rest]);
    return views.reduce((sum, view) => sum + print(bytesOf(view)), 0);
  });
  replace(fs, 'writev', function (fd, views, ...rest) {
    if (!isOutput(fd)) return Reflect.apply(writev, this, [fd, views, ...rest]);
    return later(rest.pop(), views.reduce((sum, view) => sum + print(bytesOf(view)), 0), views);
  });
  const whole = (data, options) => bytesOf(data, undefined, undefined, typeof options === 'string' ? options : options?.encoding);
  for (const [name, original] of [['writeFileSync', writeFileSync], ['appendFileSync', appendFileSync]]) {
    replace(fs, name, function (file, data, options) {
      if (!isOutput(file)) return Reflect.apply(original, this, [file, data, options]);
      print(whole(data, options));
      return undefined;
    });
  }
  for (const [name, original] of [['writeFile', writeFile], ['appendFile', appendFile]]) {
    replace(fs, name, function (file, data, ...rest) {
      if (!isOutput(file)) return Reflect.apply(original, this, [file, data, ...rest]);
      const callback = rest.pop();
      print(whole(data, rest[0]));
      return later(callback);
    });
  }
  // Closing one of these would close the host's.
  replace(fs, 'closeSync', function (fd) {
    return fd === 0 || isOutput(fd) ? undefined : Reflect.apply(closeSync, this, [fd]);
  });
  replace(fs, 'close', function (fd, ...rest) {
    if (fd !== 0 && !isOutput(fd)) return Reflect.apply(close, this, [fd, ...rest]);
    return typeof rest[0] === 'function' ? later(rest[0]) : undefined;
  });
  for (const name of ['read', 'readSync', 'readv', 'readvSync', 'fstat', 'fstatSync', 'fsync', 'fsyncSync', 'fdatasync', 'fdatasyncSync',
    'ftruncate', 'ftruncateSync', 'futimes', 'futimesSync', 'fchmod', 'fchmodSync', 'fchown', 'fchownSync']) {
    const original = fs[name];
    replace(fs, name, function (fd, ...rest) {
      return Reflect.apply(original, this, [descriptor(fd), ...rest]);
    });
  }

  kernel.hide('fs', fs);
})
