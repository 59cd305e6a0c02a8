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
  totalBytes: number
  outputLines: number
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
export interface VariableInfo {
  name: string
  type: string
  repr: string
  size?: number
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

/**
 * Which binding artifact the generated loader actually loaded: `'native'` for
 * a native addon, otherwise the `platformArchABI` of the WASI flavor. Every
 * flavor napi-rs can build is listed, because `NAPI_RS_NATIVE_LIBRARY_PATH`
 * can point the loader at a WASI artifact this package does not build itself.
 */
export declare const __napiBindingTarget: 'native' | 'wasm32-wasi' | 'wasm32-wasip1'

/**
 * Misuse, or what stopped a call before any cell started; `code` says which.
 *
 * This declaration names the class in the generated files. The class itself is JavaScript's (`host.js`), since an addon
 * cannot make a subclass of `Error`; it takes this one's place when the addon is loaded.
 */
export declare class EvalError {
  constructor(code: EvalErrorCode, message: string, options?: ErrorOptions)
}
export type EvalErrorClass = EvalError

/**
 * One tool, `eval`, that runs cells of Python and JavaScript/TypeScript in runtimes that persist between calls.
 *
 * Every member is own, enumerable and bound: a spread copy (`{ ...tool }`) is a whole tool. An idle tool never keeps
 * Node alive, and its processes end with the host's.
 */
export declare class EvalTool {
  /**
   * Checks the options; starts nothing.
   *
   * Throws an `EvalError` with code `EVAL_INVALID_ARGUMENT` that names the option, what it must be and what it was.
   */
  constructor(options: EvalToolOptions | undefined)
  /**
   * Runs cells in order. Resolves for everything a cell can do; a failed, timed-out or aborted cell is a result.
   *
   * Rejects with an `EvalError` only for misuse and for what stops the call before any cell starts.
   */
  execute(toolCallId: string, params: EvalInput, signal?: AbortSignal | null, onUpdate?: ((partial: EvalResult) => void) | null): Promise<EvalResult>
  /** Wipes one language, or both: the next cell gets a fresh kernel. A running cell ends as aborted. */
  reset(language?: Language): Promise<void>
  /** Stops the running cell (of that language) and keeps the state where possible. */
  interrupt(language?: Language): Promise<void>
  /** The session's live kernels. */
  kernels(): KernelInfo[]
  /** The user's top-level variables of one language, after the call that is running. */
  variables(language: Language): Promise<VariableInfo[]>
  /**
   * Settles running and queued calls as aborted and waits until every process is gone. Idempotent; later calls
   * reject with `EVAL_DISPOSED`.
   */
  dispose(): Promise<void>
}

/** Closes the kernels of every session whose tools named this owner; resolves when they are gone. */
export declare function disposeOwner(ownerId: string): Promise<void>

/**
 * Reads cell text; pure, never runs anything. Half characters (lone surrogates) are read as U+FFFD.
 *
 * Throws an `EvalError` with code `EVAL_PARSE` that names line and token.
 */
export declare function parseEvalInput(input: string): ParsedEvalInput

/** The language that code is written in, when strong markers of exactly one are in it. */
export declare function sniffEvalLanguage(code: string): Language | undefined
