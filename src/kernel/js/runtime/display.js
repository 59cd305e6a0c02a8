// `display(value)`: rich output at this place in the stream.
(kernel) => {
  'use strict';
  const { native } = kernel;
  const { inspect } = kernel.require('node:util');
  const { stringify } = JSON;

  kernel.show = (kind, data, text = data) => {
    const run = kernel.owner();
    if (run === 0 || !native.display(run, kind, data)) native.write(0, text.endsWith('\n') ? text : `${text}\n`);
  };
  kernel.hide('display', (value) => {
    if (typeof value === 'object' && value !== null) {
      if (value.type === 'image' && typeof value.data === 'string' && typeof value.mimeType === 'string') {
        kernel.show(value.mimeType, value.data, `[${value.mimeType}]`);
        return;
      }
      try {
        const json = stringify(value);
        if (json !== undefined) {
          kernel.show('json', json);
          return;
        }
      } catch {
        // Not JSON: shown as text below.
      }
    }
    kernel.show('text', typeof value === 'string' ? value : inspect(value));
  });
}
