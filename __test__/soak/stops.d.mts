/** What a process holds; only memory where there is no `/proc`. */
export interface Held {
  megabytes: number;
  descriptors?: number;
  threads?: number;
  children?: number;
}

export interface Outcome {
  kept: number;
  lost: string[];
  late: string[];
  wrong: string[];
  slowestMs: number;
  broken: string[];
  without: Held;
  before: Held;
  after: Held;
  disposed: Held;
}

export const KINDS: Record<string, string>;
export function soak(options: { stops: number; seed: number; word?: string; onProgress?: (done: number, outcome: Outcome) => void }): Promise<Outcome>;
