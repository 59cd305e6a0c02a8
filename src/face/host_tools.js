// The host's tools as cells see them. An expression, evaluated in the host's own environment: a factory.
//
//   const hostTools = createHostTools(lossless)
//   const bridge = hostTools({ tools, callTool })
//   bridge.names()                     the tools that exist, sorted; kernels know their aliases
//   bridge.call(name, argsJson, { cancellation, toolCallId, id, sessionId, language })
//       → Promise<{ ok: true, json } | { ok: false, message }>, which never rejects and never throws
//   hostTools.createCancellation()     { signal, isCancelled, cancel(reason) }
//
// `json` is the empty text when the result is `undefined`. The record of tools is read at each use: tools may come and go
// while kernels are warm. Names are hostile data: only own members of the record are tools.
(function createHostTools(lossless) {
  'use strict';

  const MAX_LISTED = 50;

  const isTool = (value) =>
    typeof value === 'function' || (typeof value === 'object' && value !== null && typeof value.execute === 'function');

  // A name that is no identifier, as one: `my-tool` is `my_tool`, `2fa` is `_2fa`.
  function alias(name) {
    const identifier = name.replace(/[^\p{ID_Continue}]/gu, '_');
    return /^\p{Nd}/u.test(identifier) ? `_${identifier}` : identifier;
  }

  function own(tools) {
    try {
      return Object.keys(tools ?? {}).filter((name) => {
        try {
          return isTool(tools[name]);
        } catch {
          return false;
        }
      });
    } catch {
      return [];
    }
  }

  const byCodeUnits = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  const names = (tools) => own(tools).sort(byCodeUnits);

  // The member of the record that a cell means by `name`: an alias may still come from a kernel that knew another record.
  function find(tools, name) {
    if (tools === undefined || tools === null) return undefined;
    if (Object.hasOwn(tools, name) && isTool(tools[name])) return name;
    return own(tools).find((known) => alias(known) === name);
  }

  function unknown(tools, name) {
    const known = own(tools).sort(byCodeUnits);
    if (known.length === 0) return `there is no tool \`${name}\`: this session has no tools`;
    const more = known.length > MAX_LISTED ? ` and ${known.length - MAX_LISTED} more` : '';
    return `there is no tool \`${name}\`; available: ${known.slice(0, MAX_LISTED).join(', ')}${more}`;
  }

  const isBlock = (block) => typeof block === 'object' && block !== null && typeof block.type === 'string';

  // What a tool of an agent framework returns: `{ content: [{ type: 'text', text }, …], details?, isError? }`.
  const isToolResult = (value) =>
    typeof value === 'object' && value !== null && Array.isArray(value.content) && value.content.every(isBlock);

  function fromToolResult({ content, details, isError }) {
    const text = content.filter(({ type }) => type === 'text').map((block) => `${block.text}`).join('\n');
    if (isError === true) throw new ToolResultError(text === '' ? 'the tool reported an error' : text);
    const images = content.filter(({ type }) => type === 'image').map(({ data, mimeType }) => ({ data, mimeType }));
    const empty = details === undefined || details === null || (lossless.isPlain(details) && Object.keys(details).length === 0);
    return empty && images.length === 0 ? text : { text, details: empty ? null : details, images };
  }

  class ToolResultError extends Error {}

  // Calls the host and gives what a cell gets; may throw whatever the host throws.
  async function invoke({ tools, callTool }, name, argsJson, info) {
    const args = argsJson === '' || argsJson === undefined ? undefined : JSON.parse(argsJson);
    const { cancellation, toolCallId = 'eval', id, sessionId, language } = info;
    // Each call of a tool has an id of its own, below the id of the call of `eval` that made it.
    const callId = id === undefined ? toolCallId : `${toolCallId}/${id}`;
    const context = {
      name,
      toolCallId: callId,
      get signal() {
        return cancellation.signal;
      },
    };
    if (sessionId !== undefined) context.sessionId = sessionId;
    if (language !== undefined) context.language = language;
    const member = find(tools, name);
    if (member === undefined) {
      if (typeof callTool !== 'function') throw new ToolResultError(unknown(tools, name));
      const value = await callTool(name, args, context);
      return isToolResult(value) ? fromToolResult(value) : value;
    }
    const tool = tools[member];
    if (typeof tool === 'function') return Reflect.apply(tool, tools, [args, context]);
    const value = await tool.execute(callId, args, cancellation.signal, () => {});
    return isToolResult(value) ? fromToolResult(value) : value;
  }

  function failure(thrown) {
    let message = lossless.describeThrown(thrown);
    if (message === '') message = lossless.describe(thrown?.name ?? thrown, 0);
    return { ok: false, message };
  }

  async function answer(host, name, argsJson, info) {
    try {
      const value = await invoke(host, name, argsJson, info);
      return { ok: true, json: value === undefined ? '' : lossless.encode(value, 'result') };
    } catch (thrown) {
      try {
        return failure(thrown);
      } catch {
        return { ok: false, message: 'the tool failed' };
      }
    }
  }

  // What says that nobody waits for a call any more. Its `AbortSignal` is made when a tool asks for it: most never do, and
  // it costs as much as the rest of a call.
  class Cancellation {
    isCancelled = false;
    onCancel = () => {};
    #reason;
    #controller;

    get signal() {
      if (this.#controller === undefined) {
        this.#controller = new AbortController();
        if (this.isCancelled) this.#controller.abort(this.#reason);
      }
      return this.#controller.signal;
    }

    cancel(reason) {
      if (this.isCancelled) return;
      this.isCancelled = true;
      this.#reason = reason;
      this.onCancel();
      this.#controller?.abort(reason);
    }
  }

  // Settles when the host answers or the call is cancelled, whichever comes first: a host function that never settles
  // holds nobody. A late answer is dropped.
  function call(host, name, argsJson, info) {
    const { cancellation } = info;
    const cancelled = { ok: false, message: `tool \`${name}\` was cancelled` };
    if (cancellation.isCancelled) return Promise.resolve(cancelled);
    return new Promise((resolve) => {
      cancellation.onCancel = () => resolve(cancelled);
      answer(host, name, argsJson, info).then(resolve);
    });
  }

  const hostTools = ({ tools, callTool } = {}) => {
    const host = { tools, callTool };
    return { names: () => names(host.tools), call: (name, argsJson, info) => call(host, name, argsJson, info), open: typeof callTool === 'function' };
  };
  hostTools.createCancellation = () => new Cancellation();
  return hostTools;
})
