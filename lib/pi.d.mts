import type { Awaitable, Runtime } from '../index.js'

/** What is used of Pi's `AgentSession`, as `createAgentSession` gives it. */
export interface PiAgentSession {
  readonly agent: { waitForIdle(): Promise<void> }
  readonly sessionManager: {
    getEntries(): readonly any[]
    getBranch(): readonly any[]
    getLeafId(): string | null
  }
  readonly isStreaming: boolean
  subscribe(listener: (event: any) => void): () => void
  prompt(text: string, options?: any): Promise<unknown>
  abort(): Promise<void>
  dispose(): unknown
}

export interface PiRuntimeOptions {
  /** Given to `session.prompt` as its second argument. */
  promptOptions?: unknown
  /** Closes what the session used, e.g. an `EvalTool`; called once, after the session was disposed. */
  dispose?(): Awaitable<void>
}

/**
 * Makes a session of the Pi coding agent the `Runtime` of an eval case. The result's messages are what the agent reported
 * while it worked, the entries are what the session holds: the harness compares them.
 *
 * `reason` is the stop reason of the last assistant message, `steps` the number of assistant messages.
 */
export function createPiRuntime(session: PiAgentSession, options?: PiRuntimeOptions): Runtime
