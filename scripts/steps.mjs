// What `npm run demo` and `npm test` share: each step of the set-up runs only when its result is missing or stale.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const windows = process.platform === 'win32';

/** Runs a program in the project's folder, its output on ours; ends this process when it fails. */
export function run(title, program, args, options = {}) {
  console.log(`\n=== ${title}`);
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit', shell: windows, ...options });
  if (error) {
    console.error(`${title}: ${program} could not be started (${error.message}). Is it installed and on PATH?`);
    process.exit(1);
  }
  if (status !== 0) {
    console.error(`${title}: ${program} ended with exit code ${status}.`);
    process.exit(status ?? 1);
  }
}

function stamp(name, parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  const file = join(root, 'node_modules', `.evalcell-${name}`);
  const digest = hash.digest('hex');
  return {
    fresh: existsSync(file) && readFileSync(file, 'utf8') === digest,
    save() {
      mkdirSync(join(root, 'node_modules'), { recursive: true });
      writeFileSync(file, digest);
    },
  };
}

/** `npm ci`, when the lock file changed since the last one. */
export function install() {
  const lock = stamp('install', [readFileSync(join(root, 'package-lock.json'))]);
  if (lock.fresh && existsSync(join(root, 'node_modules', '.bin'))) return;
  run('Installing npm packages', 'npm', ['ci', '--no-audit', '--no-fund']);
  lock.save();
}

function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

/** The addon, when a source is newer than it. */
export function build() {
  const addon = readdirSync(root).find((name) => /^evalcell\..*\.node$/.test(name));
  const sources = Math.max(
    newest(join(root, 'src')),
    ...['Cargo.toml', 'Cargo.lock', 'build.rs', 'package.json'].map((name) => statSync(join(root, name)).mtimeMs),
  );
  if (addon && statSync(join(root, addon)).mtimeMs > sources) return;
  run('Building the addon (Rust)', 'npm', ['run', '--silent', 'build:dev']);
}

/** A Python with the packages that tests use; returns its path. */
export function testPython() {
  const folder = join(root, '.venv-test');
  const python = join(folder, windows ? 'Scripts/python.exe' : 'bin/python');
  const requirements = readFileSync(join(root, '__test__', 'requirements.txt'));
  const made = stamp('venv', [requirements]);
  if (!made.fresh || !existsSync(python)) {
    run('Making the Python environment of the tests', windows ? 'python' : 'python3', ['-m', 'venv', '--clear', folder]);
    run('Installing its packages', python, ['-m', 'pip', 'install', '--quiet', '--requirement', '__test__/requirements.txt']);
    made.save();
  }
  return python;
}

/** What a script of its own installs into a folder of its own, when the script changed since. */
function installed(title, name) {
  const script = join('scripts', `${name}.mjs`);
  const made = stamp(name, [readFileSync(join(root, script))]);
  if (made.fresh && existsSync(join(root, `.${name}`, 'node_modules'))) return;
  run(title, process.execPath, [script]);
  made.save();
}

/** The current Pi agent and a Node it runs on, for the adapter's second test. */
export const currentPi = () => installed('Installing the current Pi agent', 'pi-current');

/** Bun, for the tests of cells there. */
export const bun = () => installed('Installing Bun', 'bun');
