// The host's side of an EvalTool, evaluated once in each environment that loads the addon. It only carries values between
// the host's functions and Rust: what a value means is decided there.
(function host(exports, parts) {
  'use strict';

  const { createHostTools, createLossless } = parts;

  class EvalError extends Error {
    constructor(code, message, options) {
      super(message, options);
      this.code = code;
    }
  }
  Object.defineProperty(EvalError.prototype, 'name', { value: 'EvalError', configurable: true, writable: true });
  exports.EvalError = EvalError;

  const invalid = (message, cause) => new EvalError('EVAL_INVALID_ARGUMENT', message, cause ? { cause } : undefined);

  // What JSON has no form for is named, so that Rust can say what was wrong.
  const kindOf = (value) => {
    switch (typeof value) {
      case 'function':
        return 'function';
      case 'bigint':
        return 'bigint';
      case 'symbol':
        return 'symbol';
      case 'number':
        return Number.isFinite(value) ? undefined : String(value);
      default:
        return undefined;
    }
  };
  // What nearly every input is: JSON carries it as it stands, and faster so.
  const isPlain = (value, depth) => {
    switch (typeof value) {
      case 'string':
        return value.isWellFormed();
      case 'boolean':
        return true;
      case 'number':
        return Number.isFinite(value);
      case 'object':
        if (value === null) return true;
        if (depth === 0) return false;
        if (Array.isArray(value)) return value.every((item) => isPlain(item, depth - 1));
        if (Object.getPrototypeOf(value) !== Object.prototype || 'toJSON' in value) return false;
        for (const name in value) if (!isPlain(value[name], depth - 1)) return false;
        return true;
      default:
        return false;
    }
  };
  const PLAIN_DEPTH = 4;
  const toJson = (value, what) => {
    try {
      if (isPlain(value, PLAIN_DEPTH)) return JSON.stringify(value);
      return (
        JSON.stringify(value, (_name, member) => {
          // Half a character has no UTF-8 form.
          if (typeof member === 'string') return member.toWellFormed();
          const kind = kindOf(member);
          return kind === undefined ? member : { $kind: kind };
        }) ?? '{"$kind":"undefined"}'
      );
    } catch (error) {
      throw invalid(`${what} cannot be read: ${describeError(error)}. Pass plain objects without cycles.`, error);
    }
  };
  function describeError(error) {
    try {
      return String(error?.message ?? error);
    } catch {
      return 'it threw something that has no text';
    }
  }

  // Tools are live objects with cycles of their own: only their names and kinds cross.
  const toolKinds = (tools) => {
    if (tools === undefined || tools === null || typeof tools !== 'object') return tools;
    const kinds = {};
    for (const name of Object.keys(tools)) {
      const tool = tools[name];
      const kind = typeof tool === 'function' ? 'function' : typeof tool?.execute === 'function' ? 'tool' : undefined;
      Object.defineProperty(kinds, name, { value: kind ? { $kind: kind } : tool, enumerable: true });
    }
    return kinds;
  };

  const settingsOf = (options) => {
    if (options === undefined) return '{}';
    if (options === null || typeof options !== 'object') return toJson(options, 'EvalTool options');
    try {
      const settings = { ...options };
      if ('tools' in settings) settings.tools = toolKinds(settings.tools);
      return toJson(settings, 'EvalTool options');
    } catch (error) {
      throw error instanceof EvalError ? error : invalid(`EvalTool options cannot be read: ${describeError(error)}`, error);
    }
  };

  // The sessions whose cells called the host function that is running.
  const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks');
  const running = new AsyncLocalStorage();

  // Compiled with the first tool: a kernel's own worker loads this file too and never makes one.
  let hostTools;
  const tools = () => (hostTools ??= createHostTools(createLossless(process.getBuiltinModule('node:util'))));

  const METHODS = ['execute', 'reset', 'interrupt', 'kernels', 'variables', 'dispose'];

  // `process.exit()` and uncaught errors run no cleanup hook of the addon: only this event sees them.
  let guarded = false;
  function guard() {
    if (guarded) return;
    guarded = true;
    const { isMainThread } = process.getBuiltinModule('node:worker_threads');
    process.on('exit', (code) => parts.exiting(Number(code) || 0, isMainThread));
  }

  // One tool's ends of the callbacks. `native` is set by `attach` before anything can call in.
  function createHost(options) {
    const settings = settingsOf(options);
    guard();
    const hooks = options ?? {};
    const registry = tools()({ tools: hooks.tools, callTool: hooks.callTool });
    const calls = new Map(); // call id → { toolCallId, onUpdate, takeUpdate, resolve, reject }
    const cancellations = new Map(); // tool call id → what cancels it
    let lastCall = 0;
    let disposing; // every caller of `dispose` waits for the same end
    let native;

    const settle = (text) => {
      if (!text.startsWith('{"evalError"')) return text === '' ? undefined : JSON.parse(text);
      const { code, message } = JSON.parse(text).evalError;
      throw new EvalError(code, message);
    };

    async function allowed() {
      let answer;
      try {
        answer = await hooks.assertExecutionAllowed();
      } catch (error) {
        throw new EvalError('EVAL_NOT_ALLOWED', `The host does not allow execution: ${describeError(error)}`, { cause: error });
      }
      if (answer === false) throw new EvalError('EVAL_NOT_ALLOWED', 'The host does not allow execution now.');
    }

    // A host function that runs a cell of the session it is called from would wait for itself.
    function refuseNested() {
      if (running.getStore()?.has(native.session)) {
        throw new EvalError(
          'EVAL_NOT_ALLOWED',
          'This session is running the cell that called this tool, so it cannot run another one now; use a tool with another session.',
        );
      }
    }

    async function run(toolCallId, params, signal, onUpdate) {
      refuseNested();
      const call = ++lastCall;
      const abort = () => native.abort(call);
      const json = toJson(params, 'The input');
      signal?.addEventListener('abort', abort, { once: true });
      try {
        const takeUpdate = onUpdate && parts.createUpdates();
        const executing = new Promise((resolve, reject) => calls.set(call, { toolCallId, onUpdate, takeUpdate, resolve, reject }));
        const ended = native.execute(call, json, registry.names(), onUpdate !== undefined, signal?.aborted === true);
        return settle(ended ?? (await executing));
      } finally {
        calls.delete(call);
        signal?.removeEventListener('abort', abort);
      }
    }

    // Resolves when either signal is aborted: `AbortSignal.any` only exists from Node 20.3 on and keeps its sources.
    const linked = (signal, controller) => {
      if (signal) {
        if (signal.aborted) controller.abort(signal.reason);
        else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true, signal: controller.signal });
      }
      return controller.signal;
    };

    const methods = {
      async execute(toolCallId, params, signal, onUpdate) {
        signal ??= undefined;
        onUpdate ??= undefined;
        if (toolCallId !== undefined && toolCallId !== null && typeof toolCallId !== 'string') {
          throw invalid('execute: the first argument, `toolCallId`, must be a string.');
        }
        if (signal !== undefined && (typeof signal !== 'object' || typeof signal.addEventListener !== 'function')) {
          throw invalid('execute: the third argument, `signal`, must be an AbortSignal.');
        }
        if (onUpdate !== undefined && typeof onUpdate !== 'function') {
          throw invalid('execute: the fourth argument, `onUpdate`, must be a function.');
        }
        if (hooks.assertExecutionAllowed) await allowed();
        if (hooks.proxyExecutor) return hooks.proxyExecutor(params, signal);
        if (!hooks.trackExecution) return run(toolCallId, params, signal, onUpdate);
        const controller = new AbortController();
        const running = run(toolCallId, params, linked(signal, controller), onUpdate);
        quietly(() => hooks.trackExecution(running, controller));
        return running;
      },
      reset: async (language) => settle(await native.reset(toJson(language, 'reset: the language'))),
      interrupt: async (language) => settle(await native.interrupt(toJson(language, 'interrupt: the language'))),
      variables: async (language) => settle(await native.variables(toJson(language, 'variables: the language'))),
      dispose: async () => settle(await (disposing ??= native.dispose(''))),
      kernels: () => JSON.parse(native.kernels()),
    };

    // A hook's own fault is its own: it harms neither the call nor the process.
    function quietly(action) {
      try {
        const answer = action();
        if (typeof answer?.then === 'function') Promise.resolve(answer).catch(() => {});
      } catch {
        // Nothing to do: the host's function failed, the call goes on.
      }
    }

    async function allocate(id, kind) {
      try {
        const artifact = await hooks.allocateArtifact(kind);
        if (typeof artifact?.id !== 'string' || typeof artifact?.path !== 'string') {
          throw new TypeError('allocateArtifact must return { id, path } with two strings');
        }
        native.answer(id, true, JSON.stringify({ id: artifact.id, path: artifact.path }));
      } catch (error) {
        native.answer(id, false, describeError(error));
      }
    }

    async function callTool(id, name, args, call) {
      const cancellation = hostTools.createCancellation();
      cancellations.set(id, cancellation);
      try {
        const sessions = new Set(running.getStore()).add(native.session);
        const toolContext = { cancellation, toolCallId: calls.get(call)?.toolCallId, id };
        const answer = await running.run(sessions, () => registry.call(name, args, toolContext));
        native.answer(id, answer.ok, answer.ok ? answer.json : answer.message);
      } catch (error) {
        native.answer(id, false, describeError(error));
      } finally {
        cancellations.delete(id);
      }
    }

    const messages = {
      settled: (id, _name, result) => calls.get(id)?.resolve(result),
      failed: (id, _name, sentence) => calls.get(id)?.reject(new Error(sentence)),
      tool: (id, name, args, call) => void callTool(id, name, args, call),
      cancelTool: (id) => cancellations.get(id)?.cancel(new EvalError('EVAL_ABORTED', 'The cell no longer waits for this call.')),
      // Always answered: the next update waits until this one has been taken.
      update(id, _name, message, call) {
        const { onUpdate, takeUpdate } = calls.get(call) ?? {};
        if (onUpdate) quietly(() => takeUpdate(message, (partial) => quietly(() => onUpdate(partial))));
        native.answer(id, true, '');
      },
      allocate: (id, kind) => void allocate(id, kind),
      log: (_id, _name, record) => hooks.onLog && quietly(() => hooks.onLog(JSON.parse(record))),
    };

    return {
      settings,
      logs: typeof hooks.onLog === 'function',
      // Called from Rust: it must not throw, whatever the host's functions do.
      dispatch(kind, id, name, body, call) {
        quietly(() => messages[kind](id, name, body, call));
      },
      invoke: (name, ...values) => methods[name](...values),
      // Own, enumerable and bound, so that a spread copy of the tool is a whole tool.
      attach(instance, functions, fields) {
        native = functions;
        for (const [name, value] of Object.entries(JSON.parse(fields))) {
          Object.defineProperty(instance, name, { value, enumerable: true, configurable: true });
        }
        for (const name of METHODS) {
          const method = instance[name];
          // The class's own methods lead here: the way through them is spared where no subclass has put others in their place.
          const value = method === exports.EvalTool.prototype[name] ? methods[name] : method.bind(instance);
          Object.defineProperty(instance, name, { value, enumerable: true, configurable: true, writable: true });
        }
        if (Symbol.asyncDispose) {
          const value = () => instance.dispose();
          Object.defineProperty(instance, Symbol.asyncDispose, { value, enumerable: true, configurable: true });
        }
      },
    };
  }

  // Objects in JSON cost three times as much as what is in them: names that say the same for each cell cross once, here.
  function parsedInput(json) {
    const { cells, ...rest } = JSON.parse(json);
    const named = ([title, code, timeoutMs, flags], index) => {
      const language = flags & 1 ? 'js' : 'python';
      const languageOrigin = flags & 2 ? 'default' : 'header';
      const reset = (flags & 4) !== 0;
      return title === null
        ? { index, code, language, languageOrigin, timeoutMs, reset }
        : { index, title, code, language, languageOrigin, timeoutMs, reset };
    };
    return { cells: cells.map(named), ...rest };
  }

  const createError = (code, message) => new EvalError(code, message);
  return { createHost, createError, toJson, fromJson: (text) => JSON.parse(text), parsedInput };
})
//# sourceURL=evalcell:host.js
