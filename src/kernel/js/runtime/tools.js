// `tool.<name>(args)`: the host's functions. Names are data, never a way to a prototype.
(function (kernel) {
  'use strict';
  const { native } = kernel;
  const { inspect } = kernel.require('node:util');
  const { parse } = JSON;
  // Not `performance`: reading that loads a tenth of what a worker loads at all.
  const { hrtime } = process;
  const now = () => Number(hrtime.bigint() / 1_000_000n);
  /** An interrupt comes within microseconds; one that had to be asked for again, within 50 ms. */
  const INTERRUPT_MS = 1000;

  class ToolError extends Error {
    constructor(tool, message) {
      super(message);
      Object.defineProperty(this, 'tool', { value: tool, enumerable: true, configurable: true, writable: true });
    }
  }
  Object.defineProperty(ToolError.prototype, 'name', { value: 'ToolError', configurable: true, writable: true });
  kernel.hide('ToolError', ToolError);

  let names = [];
  let open = false;
  let byAlias = new Map();
  kernel.setTools = (tools) => {
    names = tools.names;
    open = tools.open;
    byAlias = new Map();
    for (const name of names) {
      const alias = name.replace(/[^\p{ID_Continue}$]/gu, '_').replace(/^(?=\d)/, '_');
      if (!byAlias.has(alias)) byAlias.set(alias, name);
    }
    for (const name of names) byAlias.set(name, name);
  };

  let nextCall = 1;
  const pending = new Map();

  const unknown = (name) => new ToolError(name,
    `Unknown tool \`${name}\`; ${names.length === 0 ? 'there are none' : `there are: ${names.join(', ')}`}`);

  const encode = (name, values) => {
    if (values.length > 1) {
      throw new TypeError(`tool.${name} takes one argument, as in tool.${name}({ key: value }); got ${values.length}`);
    }
    const [value = {}] = values;
    if (value === null || typeof value !== 'object') {
      throw new TypeError(`tool.${name} takes an object, as in tool.${name}({ key: value }); got ${value === null ? 'null' : `a ${typeof value}`}`);
    }
    return kernel.lossless.encode(value, 'args');
  };

  const resolveName = (name) => {
    const real = byAlias.get(name);
    if (real !== undefined) return real;
    if (open) return name;
    throw unknown(name);
  };

  const decode = (json) => (json === '' || json === 'undefined' ? undefined : parse(json));

  const ended = (name) => new ToolError(name, `The call of \`${name}\` came after its cell had ended`);

  const caller = (name) => {
    const call = async (...values) => {
      const real = resolveName(name);
      const args = encode(name, values);
      const id = nextCall++;
      const run = kernel.owner();
      return new Promise((resolve, reject) => {
        pending.set(id, { run, name: real, resolve, reject });
        if (run === 0 || !native.callTool(run, id, real, args)) {
          pending.delete(id);
          reject(ended(real));
        }
      });
    };
    call.aio = call;
    call.sync = (...values) => {
      const real = resolveName(name);
      const run = kernel.owner();
      if (run === 0) throw ended(real);
      const answer = native.callToolBlocking(run, nextCall++, real, encode(name, values));
      if (answer === null || answer === undefined) {
        // Stopped: the interrupt that comes with it ends this loop. Where there are no interrupts, the error does.
        const until = kernel.interruptible ? now() + INTERRUPT_MS : 0;
        while (now() < until) kernel.tick();
        throw ended(real);
      }
      if (answer[0] !== '1') throw new ToolError(real, answer[1]);
      return decode(answer[1]);
    };
    Object.defineProperty(call, 'name', { value: name });
    return call;
  };

  kernel.toolReply = (id, ok, text) => {
    const waiting = pending.get(id);
    if (waiting === undefined) return;
    pending.delete(id);
    if (!ok) waiting.reject(new ToolError(waiting.name, text));
    else waiting.resolve(decode(text));
  };

  /** The run ended: nobody will answer. */
  kernel.dropToolCalls = (run) => {
    if (pending.size === 0) return;
    for (const [id, waiting] of pending) {
      if (waiting.run === run.id) {
        pending.delete(id);
        if (!run.dead) waiting.reject(new ToolError(waiting.name, `The call of \`${waiting.name}\` was cancelled because its cell ended`));
      }
    }
  };

  // `inspect` looks at the target of a proxy, never at the proxy.
  const target = Object.create(null, { [inspect.custom]: { value: () => `tool { ${names.join(', ')} }`, configurable: true } });
  kernel.hide('tool', new Proxy(target, {
    get(_target, name) {
      if (typeof name === 'symbol') return undefined;
      // `await tool` asks for it; only a host that has a tool of this name gets a function here.
      if (name === 'then' && !byAlias.has('then')) return undefined;
      return caller(name);
    },
    has: (_target, name) => byAlias.has(name),
    ownKeys: () => names.slice(),
    getOwnPropertyDescriptor: (_target, name) =>
      byAlias.has(name) ? { value: caller(name), enumerable: true, configurable: true, writable: false } : undefined,
    set() {
      throw new TypeError('tool is read-only; tools come from the host');
    },
    defineProperty() {
      throw new TypeError('tool is read-only; tools come from the host');
    },
  }));
})
