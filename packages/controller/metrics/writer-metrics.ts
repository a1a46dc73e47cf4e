/** What the one writer shows: how well it groups commits, and how long a change waits until it is durable. */
import { Histogram, type Registry } from 'prom-client'

export class WriterMetrics {
  /** Mutations per durable commit. Near 1 under load means that the disk is not the bottleneck. */
  readonly batchSize: Histogram
  /** Time of one durable commit: what the disk takes. */
  readonly commit: Histogram

  constructor(registry: Registry) {
    const registers = [registry]
    this.batchSize = new Histogram({
      name: 'weft_writer_batch_size',
      help: 'Mutations per durable commit.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000],
      registers,
    })
    const buckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
    this.commit = new Histogram({
      name: 'weft_writer_commit_duration_seconds',
      help: 'Time of a durable commit.',
      buckets,
      registers,
    })
  }
}
