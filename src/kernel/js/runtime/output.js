// Everything a cell prints, straight to Rust on this thread: nothing is held back, so nothing is lost.
(function (kernel) {
  'use strict';
  const { native } = kernel;
  const { Writable } = kernel.require('node:stream');

  kernel.print = (text) => native.write(kernel.owner(), text);

  class CellStream extends Writable {
    constructor(descriptor) {
      super({ decodeStrings: false });
      this.fd = descriptor;
      this._type = 'pipe';
      this.isTTY = undefined;
    }

    _write(chunk, encoding, done) {
      put(chunk, encoding);
      done();
    }
  }

  const put = (chunk, encoding) => {
    if (typeof chunk !== 'string') native.writeBytes(kernel.owner(), chunk);
    else if (isText(encoding)) native.write(kernel.owner(), chunk);
    else native.writeBytes(kernel.owner(), Buffer.from(chunk, encoding));
  };
  const isText = (encoding) =>
    encoding === undefined || encoding === null || encoding === 'utf8' || encoding === 'utf-8' || encoding === 'buffer' ||
    typeof encoding === 'function';

  const slowWrite = Writable.prototype.write;
  const fastWrite = function write(chunk, encoding, callback) {
    // The stream machinery costs more than the write itself; it only matters to who listens or has ended the stream.
    if ((typeof chunk === 'string' || chunk instanceof Uint8Array) && this.writable) {
      put(chunk, encoding);
      const done = typeof encoding === 'function' ? encoding : callback;
      if (typeof done === 'function') process.nextTick(done, null);
      return true;
    }
    return slowWrite.call(this, chunk, encoding, callback);
  };

  kernel.streams = {};
  for (const [name, descriptor] of [['stdout', 1], ['stderr', 2]]) {
    let stream;
    const get = () => {
      if (stream === undefined) {
        stream = new CellStream(descriptor);
        stream.write = fastWrite;
        // Like Node's own: it cannot be closed.
        stream.destroy = function destroy(error) {
          if (error) this.emit('error', error);
          return this;
        };
        stream._destroy = (error, done) => done(error);
      }
      return stream;
    };
    kernel.streams[name] = get;
    Object.defineProperty(process, name, { get, configurable: true, enumerable: true });
  }

  let stdin;
  Object.defineProperty(process, 'stdin', {
    configurable: true,
    enumerable: true,
    get() {
      // Empty, and for each cell: whoever waits for the end of one that has ended waits for ever.
      if (stdin === undefined || stdin.readableEnded || stdin.destroyed) {
        const { Readable } = kernel.require('node:stream');
        stdin = new Readable({ read() { this.push(null); } });
        stdin.fd = 0;
      }
      return stdin;
    },
  });

  // The console's own methods: Node's global ones also call into the inspector, which costs more than the printing, and
  // Bun's write to the descriptors by themselves. They print through `process.stdout.write` when somebody replaced that.
  const { Console } = kernel.require('node:console');
  const nothing = () => {};
  const sink = (stream) => ({
    write(text, callback) {
      const { write } = stream();
      if (write === fastWrite) put(text);
      else stream().write(text, callback);
    },
    on: nothing,
    once: nothing,
    removeListener: nothing,
    listenerCount: () => 0,
  });
  const own = new Console({ stdout: sink(kernel.streams.stdout), stderr: sink(kernel.streams.stderr) });
  for (const name of Object.keys(own)) {
    if (typeof own[name] === 'function' && typeof console[name] === 'function') console[name] = own[name];
  }
})
