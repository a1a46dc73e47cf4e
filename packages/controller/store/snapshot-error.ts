/** Raised when a copy could not be written (no space, no such folder, name taken). The store itself is unharmed. */
export class SnapshotError extends Error {
  readonly code = 'SNAPSHOT_FAILED'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SnapshotError'
  }
}
