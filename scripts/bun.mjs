// Installs Bun into `.bun/` for the tests that run cells there. It is no dev dependency: it is 90 MB, and every platform's is
// a package of its own.
//   node scripts/bun.mjs
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './steps.mjs';

const BUN_VERSION = '1.4.5';

const system = process.platform === 'win32' ? 'windows' : process.platform;
// The one that runs on every processor.
const processor = process.arch === 'arm64' ? 'aarch64' : 'x64-baseline';
const name = `@oven/bun-${system}-${processor}`;
const folder = join(root, '.bun');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ private: true, dependencies: { [name]: BUN_VERSION } }, null, 2)}\n`);
run('Bun', 'npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
const programs = join(folder, 'node_modules', name, 'bin');
const link = join(folder, 'node_modules', '.evalcell-bun');
rmSync(link, { force: true });
symlinkSync(join(programs, readdirSync(programs)[0]), link);
