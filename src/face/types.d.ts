// Generated from the Rust sources by `napi build`; the types at the top come from src/face/types.d.ts. Do not edit index.d.ts.

/// <reference types="node" />

export type Language = 'python' | 'js'
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
/** A value, or a promise of one. */
export type Awaitable<T> = T | PromiseLike<T>

/** The stable `code` of an `EvalError`. */
export type EvalErrorCode =
  | 'EVAL_PARSE'
  | 'EVAL_INVALID_ARGUMENT'
  | 'EVAL_LANGUAGE_DISABLED'
  | 'EVAL_PYTHON_UNAVAILABLE'
  | 'EVAL_NO_LANGUAGE'
  | 'EVAL_NOT_ALLOWED'
  | 'EVAL_DISPOSED'

/** What `execute` takes: cell text, or cells as objects. */
export type EvalInput = { input: string } | { cells: CellInput[] }

export interface CellInput {
  /** `py`, `python`, `js`, `ts`, … in any case; absent: the previous cell's, else sniffed. */
  language?: string
  code: string
  title?: string
  /** Seconds; 0 is the host's maximum. */
  timeout?: number
  /** Wipe this language's runtime first. */
  reset?: boolean
  /** The cell's value as lossless JSON in `CellResult.value`. */
  returns?: 'json'
}

export interface ParsedEvalInput {
  cells: ParsedCell[]
  aborted?: true
  notice?: string
}

export interface ParsedCell {
  index: number
  title?: string
  code: string
  language: Language
  languageOrigin: 'header' | 'default'
  /** Milliseconds. */
  timeoutMs: number
  reset: boolean
}

/** Options of `EvalTool`; every one is optional, an unknown one is an error. */
export interface EvalToolOptions {
  /** Session directory. Default: `process.cwd()`. */
  cwd?: string
  /** Names a session that several tools share. Default: a session of its own. */
  sessionId?: string
  /** Names a session by a file: `session:<file>:cwd:<cwd>`. */
  sessionFile?: string
  /** Kernels of an owner can be disposed together, see `disposeOwner`. */
  ownerId?: string
  /** Switch a language off. Default: both on. */
  languages?: { python?: boolean; js?: boolean }
  python?: {
    /** Path of the interpreter; `~` and `$NAME` are expanded. */
    interpreter?: string
    /** Default `'session'`; `'per-call'` gives each cell a fresh kernel. */
    kernelMode?: 'session' | 'per-call'
    /** Budget of a start, never the cell's. Default 30 000. */
    startupTimeoutMs?: number
    limits?: { cpuSeconds?: number; addressSpaceBytes?: number }
  }
  js?: {
    /** Defaults 2 048 and 4 096. */
    limits?: { maxOldGenerationSizeMb?: number; maxArrayBufferMb?: number }
  }
  /** Extra variables for cells of both languages. */
  env?: Record<string, string>
  /** Which of the host's variables cells see. Default `'safe'`: a list of names without secrets. */
  envFilter?: 'inherit' | 'safe' | { allow?: string[]; deny?: string[] }
  /** Functions or Pi-style tools that cells call as `tool.<name>(args)`; read anew at each call. */
  tools?: Record<string, ToolFunction | AgentTool>
  /** A dynamic registry, asked for names that are not in `tools`. */
  callTool?: (name: string, args: unknown, context: ToolContext) => unknown
  /** Per-cell deadline in milliseconds. Defaults 30 000, 1 000, 600 000, false. */
  timeouts?: { defaultMs?: number; minMs?: number; maxMs?: number; pauseOnToolCalls?: boolean }
  /** Defaults 51 200, 3 000, 0, 0, 32 768, false. */
  output?: {
    maxBytes?: number
    maxLines?: number
    headBytes?: number
    maxColumns?: number
    maxValueBytes?: number
    plain?: boolean
  }
  /** Folder for output that is not shown whole. Default: a private folder of the session. */
  artifactDir?: string
  /** The host's own place for it. */
  allocateArtifact?: (kind: string) => Awaitable<{ id: string; path: string }>
  /** Idle Python kernels are closed after this many milliseconds. Default 300 000. */
  idleTimeoutMs?: number
  /** How many Python kernels may be idle. Default 4. */
  maxKernels?: number
  /** Throws, rejects or returns false when execution is not allowed now: `EVAL_NOT_ALLOWED`. */
  assertExecutionAllowed?: () => unknown
  /** Is told of each execution and can abort it. */
  trackExecution?: (execution: Promise<EvalResult>, controller: AbortController) => unknown
  /** Runs the whole call elsewhere; nothing is started here. */
  proxyExecutor?: (params: EvalInput, signal?: AbortSignal) => Promise<EvalResult>
  /** Receives structured log records. */
  onLog?: (record: LogRecord) => void
}

export interface LogRecord {
  level: 'error' | 'warn' | 'info' | 'debug' | 'trace'
  target: string
  message: string
  fields?: Record<string, JsonValue>
}

export interface ToolContext {
  /** Aborted when the cell no longer waits: deadline, abort, reset, dispose. */
  signal: AbortSignal
  toolCallId?: string
}
export type ToolFunction = (args: any, context: ToolContext) => unknown
/** The shape of a Pi tool. */
export interface AgentTool {
  execute: (toolCallId: string, params: any, signal?: AbortSignal, onUpdate?: (partial: any) => void) => unknown
}

export interface TextBlock {
  type: 'text'
  text: string
}
export interface ImageBlock {
  type: 'image'
  /** Base64. */
  data: string
  mimeType: string
}
export interface EvalResult {
  /** The one text block, then the images a model can see. */
  content: (TextBlock | ImageBlock)[]
  details: EvalToolDetails
}
export interface EvalToolDetails {
  cells: CellResult[]
  /** Of the first cell. */
  language: Language
  /** Distinct, in first-use order. */
  languages: Language[]
  jsonOutputs?: unknown[]
  images?: ImageBlock[]
  statusEvents?: StatusEvent[]
  notice?: string
  meta?: { truncation?: Truncation }
  isError?: true
}
export interface StatusEvent {
  op: string
  [field: string]: JsonValue
}
export interface CellResult {
  index: number
  title?: string
  code: string
  language: Language
  status: 'pending' | 'running' | 'complete' | 'error'
  output: string
  value?: JsonValue
  durationMs?: number
  exitCode?: number
  statusEvents?: StatusEvent[]
  hasMarkdown?: true
  /** Set exactly when `status` is `'error'`. */
  failure?: CellFailure
  /** Computed from what happened. */
  state: 'kept' | 'lost'
}
export interface CellFailure {
  kind:
    | 'syntax'
    | 'exception'
    | 'timeout'
    | 'abort'
    | 'stdin'
    | 'exit'
    | 'kernel-exit'
    | 'output-limit'
    | 'invalid-output'
  name?: string
  message: string
  line?: number
  column?: number
  signal?: string
  exitCode?: number
  /** Top-level names this cell had set. */
  bound: string[]
  /** Top-level names it would have set but did not. */
  notReached: string[]
}
export interface Truncation {
  direction: 'tail' | 'middle'
  truncatedBy: 'bytes' | 'lines' | 'columns'
  totalLines: number
  /** Size of the artifact. */
  totalBytes: number
  outputLines: number
  /** Bytes of the stream that are shown; the rest of `totalBytes` is hidden, to the byte. */
  outputBytes: number
  artifactId: string
  artifactPath: string
}
export interface KernelInfo {
  language: Language
  sessionId: string
  state: 'idle' | 'busy'
  pid?: number
  threadId?: number
  executable?: string
  version?: string
  executionCount: number
  /** Milliseconds since 1970. */
  startedAt: number
  lastUsedAt: number
}
/** What `diagnose` found. */
export interface Diagnosis {
  /** This package's version. */
  version: string
  node: string
  /** System and processor, e.g. `linux-x86_64`. */
  platform: string
  javascript: {
    enabled: boolean
    /** Whether a cell that spins can be stopped without losing its session's variables. */
    keepsVariablesWhenStopped: boolean
  }
  python: {
    enabled: boolean
    /** The interpreter that runs cells; absent when none was found. */
    executable?: string
    /** Absent when it did not start. */
    version?: string
    /** Where it was found, e.g. `VIRTUAL_ENV` or `python3 on PATH`. */
    source?: string
    /** What was tried before it, or at all, and why it was not taken. */
    tried: { path: string; why: string }[]
  }
  temporaryFolder: { path: string; writable: boolean }
  /** What would fail, each a sentence. */
  warnings: string[]
}
export interface VariableInfo {
  name: string
  type: string
  repr: string
  size?: number
}

/** How `renderCall` and `renderResult` write. */
export interface RenderOptions {
  /** Columns; default 80, at least 20. */
  width?: number
  /** ANSI colours; default true. */
  color?: boolean
  /** Everything, not a preview of 10 lines; default false. */
  expanded?: boolean
}

export interface EvalTool {
  readonly name: 'eval'
  readonly label: 'Eval'
  /** The model-facing prompt, only about languages that are enabled and available. */
  readonly description: string
  /** JSON Schema of the input. */
  readonly parameters: Record<string, JsonValue>
  /** A grammar for constrained generation of cell text, stricter than the parser. */
  readonly grammar: { syntax: 'lark'; definition: string }
  readonly concurrency: 'exclusive'
  readonly mergeCallAndResult: true
  readonly inline: true
  [Symbol.asyncDispose](): Promise<void>
}

/** Misuse, or what stopped a call before any cell started. */
export interface EvalError extends Error {
  readonly code: EvalErrorCode
}

// ---- eval harness ----------------------------------------------------------------------------------------------------

/** One task for a complete agent, and how to judge it. */
export interface EvalCase {
  /** Names the case in every report: it is public, keep secrets and paths out of it. */
  id: string
  prompt: string
  /** Names that `readFile` gets, and that the judge finds in `files`; not blank, each once. */
  files: readonly string[]
  /** Makes everything one run needs. Called anew for every run; nothing of an earlier run is kept. */
  prepare(): Awaitable<PreparedEval>
  /** Says whether the task is done. Trusted code: the observation is frozen, but that is no isolation. */
  judge(observation: EvalObservation): Awaitable<TaskVerdict>
  /**
   * Milliseconds each phase may take: `prepare`, the agent's work (`prompt` and `flush`), collecting, the judge. An agent
   * that takes longer ends as `execute/execute_timeout`. Default: no limit.
   */
  timeoutMs?: number
}

/** One fresh world for one run. */
export interface PreparedEval {
  runtime: Runtime
  readFile(file: string): Awaitable<string>
  /** Called last, also after failures. */
  cleanup?(): Awaitable<void>
}

/** What the harness needs of an agent. */
export interface Runtime {
  session: { entries(): Awaitable<readonly SessionEntry[]> }
  /** The newest entry of the branch that counts; null when there is none. */
  getActiveLeafId(): string | null
  prompt(text: string): Awaitable<AgentRunResult>
  /** Resolves when everything that `prompt` did is in the session. */
  flush(): Awaitable<void>
  dispose(): Awaitable<void>
}

/** What an agent says about its work. */
export interface AgentRunResult {
  reason: string
  steps: number
  /** Must equal the messages on the session's active path, deeply and strictly. */
  messages: readonly AgentMessage[]
}

/** A message with one of the roles `user`, `assistant`, `toolResult`, `system`; other roles take no part in the protocol. */
export interface AgentMessage {
  role: string
  content?: any
  /** Of a tool result: the `id` of the `{ type: 'toolCall', id, name }` block it answers. */
  toolCallId?: string
  toolName?: string
  isError?: boolean
  [field: string]: any
}

/** An entry in the tree of a session; one of type `message` holds a message, all others are metadata. */
export interface SessionEntry {
  type: string
  id: string
  /** Null for the first entry of the tree. */
  parentId: string | null
  message?: AgentMessage
  [field: string]: any
}

/** What the judge gets: a deep copy, frozen all the way down. */
export interface EvalObservation {
  readonly result: Readonly<AgentRunResult>
  /** The path to the active leaf, from the first entry on. */
  readonly entries: readonly SessionEntry[]
  readonly files: Readonly<Record<string, string>>
}

/** Valid only if `passed` is what the checks say: `checks.every(Boolean)`. */
export interface TaskVerdict {
  passed: boolean
  checks: readonly boolean[]
}

export type EvalStatus = 'passed' | 'task_failed' | 'protocol_failed' | 'infra_failed'
export type EvalFailurePhase =
  | 'prepare'
  | 'execute'
  | 'collect'
  | 'protocol'
  | 'judge'
  | 'task'
  | 'dispose'
  | 'cleanup'
export type EvalFailureCode =
  | 'invalid_case'
  | 'prepare_failed'
  | 'execute_failed'
  | 'execute_timeout'
  | 'collect_failed'
  | 'missing_active_leaf'
  | 'invalid_active_path'
  | 'missing_user_interaction'
  | 'incomplete_user_interaction'
  | 'assistant_without_user'
  | 'tool_call_without_user'
  | 'duplicate_tool_call'
  | 'orphan_tool_result'
  | 'duplicate_tool_result'
  | 'tool_name_mismatch'
  | 'unpaired_tool_call'
  | 'result_session_mismatch'
  | 'judge_failed'
  | 'invalid_verdict'
  | 'task_rejected'
  | 'dispose_failed'
  | 'cleanup_failed'

export interface EvalSuiteOptions {
  /** Runs of each case; each is prepared anew. Default 1. */
  trials?: number
  /** How often a run that ended as `infra_failed` is replaced by a new one. Default 0. */
  retryInfra?: number
  /** For cases that have no `timeoutMs` of their own. */
  timeoutMs?: number
  /** Ends the suite: the case in progress is closed and does not count, the reports so far are the result. */
  signal?: AbortSignal
  /** Gets each report that counts, as soon as it is there; awaited. What it throws is ignored. */
  onReport?(report: EvalReport, place: { caseIndex: number; trial: number }): Awaitable<void>
  /** Gets what happens to each attempt; awaited. What it throws is ignored. */
  onProgress?(progress: EvalProgress): Awaitable<void>
}

/** All places count from 0. */
export interface EvalProgress {
  /** `retry`: this attempt broke and is replaced by a new one. */
  type: 'start' | 'retry' | 'end'
  caseIndex: number
  trial: number
  /** How many attempts this one replaces. */
  retry: number
  /** Reports that count so far, of `total`. */
  done: number
  total: number
  /** Of an attempt that has ended. */
  status?: EvalStatus
}
