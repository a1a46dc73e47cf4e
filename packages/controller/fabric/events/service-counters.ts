/**
 * How dials of services end, counted by the minute. A minute is told when it is over, one event for each kind of end, service
 * and terminator.
 */
import type { Clock } from '../../clock.ts'
import type { ServiceEvent } from '../../events/fabric-events.ts'
import type { CircuitEvent } from '../circuit.ts'
import type { CircuitFailureCause } from '../circuit-error.ts'

const INTERVAL_SECONDS = 60
/** In one minute; what comes on top is not counted. */
const MOST_COUNTERS = 100_000

/** What failed at the terminator rather than before it. */
const terminatorFailures: Partial<Record<CircuitFailureCause, string>> = {
  ROUTER_ERR_INVALID_TERMINATOR: 'service.dial.terminator.invalid',
  ROUTER_ERR_MISCONFIGURED_TERMINATOR: 'service.dial.terminator.misconfigured',
  ROUTER_ERR_DIAL_TIMED_OUT: 'service.dial.terminator.timeout',
  ROUTER_ERR_CONN_REFUSED: 'service.dial.terminator.connection_refused',
}

type Counted = Pick<ServiceEvent, 'event_type' | 'service_id' | 'terminator_id'> & { count: number }

export class ServiceCounters {
  readonly #clock: Pick<Clock, 'now'>
  readonly #counters = new Map<string, Counted>()
  /** Of the minute that is counted: seconds since the epoch. */
  #start: number

  constructor({ clock }: { readonly clock: Pick<Clock, 'now'> }) {
    this.#clock = clock
    this.#start = this.#thisInterval()
  }

  /** To be called for each event, after what `takeEnded` answers has been told. */
  count(event: CircuitEvent): void {
    if (event.type === 'created') {
      this.#add('service.dial.success', event.circuit.serviceId, event.circuit.terminator.id)
    } else if (event.type === 'failed') {
      const { request, failureCause, terminatorId = '' } = event
      const { serviceId } = request
      if (failureCause === 'ROUTER_RESPONSE_TIMEOUT') this.#add('service.dial.timeout', serviceId, terminatorId)
      else {
        const atTerminator = terminatorFailures[failureCause]
        if (atTerminator === undefined) this.#add('service.dial.error_other', serviceId, '')
        else this.#add(atTerminator, serviceId, terminatorId)
        if (terminatorId !== '') this.#add('service.dial.fail', serviceId, terminatorId)
      }
    }
  }

  /** The events of the minute that was counted, once it is over. */
  takeEnded(): readonly ServiceEvent[] {
    const current = this.#thisInterval()
    if (current === this.#start) return []
    const ended = [...this.#counters.values()].map((counted): ServiceEvent => {
      const interval = { interval_start_utc: this.#start, interval_length: INTERVAL_SECONDS }
      return { namespace: 'service', version: 2, ...counted, ...interval }
    })
    this.#counters.clear()
    this.#start = current
    return ended
  }

  #add(event_type: string, service_id: string, terminator_id: string): void {
    const key = `${event_type}/${service_id}/${terminator_id}`
    const known = this.#counters.get(key)
    if (known !== undefined) known.count++
    else if (this.#counters.size < MOST_COUNTERS) {
      this.#counters.set(key, { event_type, service_id, terminator_id, count: 1 })
    }
  }

  #thisInterval(): number {
    const seconds = Math.floor(this.#clock.now() / 1_000)
    return seconds - (seconds % INTERVAL_SECONDS)
  }
}
