import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('fixtures/hosts/host.mjs', import.meta.url));

/** A running process, not a zombie that nobody has waited for yet. */
export function alive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

export interface Host {
  child: ChildProcess;
  /** The next record with this name that the host says. */
  said(name: string): Promise<any>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts the host program of the fixtures. */
export function startHost(how: string, language = '', code = '', node = process.execPath): Host {
  const child = spawn(node, [program, how, language, code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const records: any[] = [];
  const waiting: (() => void)[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => {
    records.push(JSON.parse(line));
    for (const wake of waiting.splice(0)) wake();
  });
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  void ended.then(() => waiting.splice(0).forEach((wake) => wake()));
  return {
    child,
    ended,
    async said(name) {
      for (;;) {
        const record = records.find((candidate) => name in candidate);
        if (record) return record[name];
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the host ended before it said ${name}`);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}
