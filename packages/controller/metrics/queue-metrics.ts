/**
 * Every queue has a name and shows how full it is. The numbers are read when somebody looks, so a queue pays nothing for
 * being watched.
 */
import { Counter, Gauge, type Registry } from 'prom-client'

/** What a queue tells about itself; what it does not know it leaves out. */
export interface QueueReadings {
  /** How many wait. */
  readonly length: number
  /** How many bytes wait. */
  readonly bytes?: number
  /** How many were turned away since the start, by kind. */
  readonly dropped?: ReadonlyMap<string, number>
}

/** All queues behind a name; queues of one name are shown as their sum. */
export type QueueProbe = () => Iterable<QueueReadings>

export class QueueMetrics {
  readonly #probes = new Map<string, QueueProbe>()

  constructor(registry: Registry) {
    const registers = [registry]
    const readAll = (take: (queue: string, readings: QueueReadings) => void) => {
      for (const [queue, probe] of this.#probes) for (const readings of probe()) take(queue, readings)
    }
    new Gauge({
      name: 'weft_queue_length',
      help: 'Items that wait in a queue.',
      labelNames: ['queue'],
      registers,
      collect() {
        this.reset()
        readAll((queue, { length }) => this.inc({ queue }, length))
      },
    })
    new Gauge({
      name: 'weft_queue_bytes',
      help: 'Bytes that wait in a queue, for queues bounded in bytes.',
      labelNames: ['queue'],
      registers,
      collect() {
        this.reset()
        readAll((queue, { bytes }) => bytes !== undefined && this.inc({ queue }, bytes))
      },
    })
    new Counter({
      name: 'weft_queue_dropped_total',
      help: 'Items a full or closed queue turned away, by kind.',
      labelNames: ['queue', 'kind'],
      registers,
      collect() {
        this.reset()
        readAll((queue, { dropped = new Map() }) => {
          for (const [kind, count] of dropped) this.inc({ queue, kind }, count)
        })
      },
    })
  }

  /** Watches a queue from now on; answers how to stop. Names are part of the code or the configuration, never input. */
  watch(queue: string, probe: QueueProbe): () => void {
    if (this.#probes.has(queue)) throw new Error(`a queue named ${queue} is watched already`)
    this.#probes.set(queue, probe)
    return () => this.#probes.delete(queue)
  }
}
