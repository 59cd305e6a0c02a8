import type { Awaitable, EvalCase, EvalReport } from '../index.js'

export interface DescribeEvalsOptions {
  /** Runs of each case, each a test of its own. Default 1. */
  trials?: number
  /** How often a run that ended as `infra_failed` is replaced by a new one. Default 0. */
  retryInfra?: number
  /** For cases that have no `timeoutMs` of their own. */
  timeoutMs?: number
  /** Vitest's own limit for each test, in milliseconds. Default 0: none, the case's limits hold. */
  testTimeout?: number
  /** Gets each report; what it throws fails the test. */
  onReport?(report: EvalReport, place: { caseIndex: number; trial: number }): Awaitable<void>
}

declare module 'vitest' {
  interface TaskMeta {
    /** The safe report of a test made by `describeEvals`. */
    evalReport?: EvalReport
  }
}

/**
 * Declares a suite called `name` with one test per case and trial, run one after the other. A test fails when its case
 * did not pass, and says what the safe report says.
 */
export function describeEvals(name: string, cases: Iterable<EvalCase>, options?: DescribeEvalsOptions): void
