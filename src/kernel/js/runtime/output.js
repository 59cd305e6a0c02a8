// Everything a cell prints, straight to Rust on this thread: nothing is held back, so nothing is lost.
(kernel) => {
  'use strict';
  const { native } = kernel;
  const { Writable } = kernel.require('node:stream');
  const { StringDecoder } = kernel.require('node:string_decoder');

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
      if (stdin === undefined) {
        const { Readable } = kernel.require('node:stream');
        stdin = new Readable({ read() { this.push(null); } });
        stdin.fd = 0;
      }
      return stdin;
    },
  });

  kernel.decoder = () => new StringDecoder('utf8');
}
