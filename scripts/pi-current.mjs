// Installs the current Pi coding agent, and a Node that it runs on, into `.pi-current/` for the adapter's second test. It
// is no dev dependency: it needs a newer Node than this package, and together they are 350 MB.
//   node scripts/pi-current.mjs
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './steps.mjs';

const PI_VERSION = '1.6.0';
/** Pi needs at least 22.19. */
const NODE_VERSION = '22.23.5';

const folder = join(root, '.pi-current');
mkdirSync(folder, { recursive: true });
const platform = process.platform === 'win32' ? 'win' : process.platform;
const dependencies = {
  '@earendil-works/pi-ai': PI_VERSION,
  '@earendil-works/pi-coding-agent': PI_VERSION,
  [`node-${platform}-${process.arch}`]: NODE_VERSION,
};
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`);
// No scripts of dependencies: nothing they would build is used.
const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
run('Current Pi', 'npm', ['install', ...flags], { cwd: folder });
