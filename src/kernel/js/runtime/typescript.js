// TypeScript files, loaded by path.
(function (kernel) {
  'use strict';
  const { native } = kernel;
  const path = kernel.require('node:path');
  const { readFileSync } = kernel.require('node:fs');
  const Module = kernel.require('node:module');

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

  const typescriptModule = (url) => {
    const file = kernel.require('node:url').fileURLToPath(url);
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

  kernel.typescript = { isTypescript, typescriptModule, orTypescript };
})
