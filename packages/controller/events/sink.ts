/** Where formatted events go. A sink may be slow or fail; it must end promptly when told to. */
export interface EventSink extends AsyncDisposable {
  /**
   * Writes lines in order and answers how many arrived whole. Fewer than given comes with the error; the rest will be
   * offered again. Never rejects. After `signal` it gives up what it waits for.
   */
  write(lines: readonly string[], signal: AbortSignal): Promise<WriteOutcome>
}

export interface WriteOutcome {
  readonly written: number
  readonly error?: Error
}
