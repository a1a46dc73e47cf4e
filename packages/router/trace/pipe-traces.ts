/**
 * Traces that controllers ask for: records of what goes over the channels of this router whose names match, sent to whoever
 * asked for as long as its own channel lasts. A watcher that cannot keep up misses records; nothing waits for it.
 */
import { SearchPattern, SearchPatternError } from '@weft/model'
import type { Channel } from '@weft/wire'
import { type ChannelTrace, type ControlMessage, controlMessages } from '@weft/wire/messages'
import { type TracerOptions, traceChannel } from './channel-tracer.ts'

export interface PipeTracesDeps {
  /** Those that are open now. */
  readonly channels: () => Iterable<Channel>
  /** How messages of a channel are read, by what is spoken over it. */
  readonly tracerOf: (channel: Channel) => TracerOptions
  /** The id of the router. */
  readonly routerId: string
}

type Request = ControlMessage<'togglePipeTraces'>['body']

export interface ToggleOutcome {
  readonly success: boolean
  /** Which channels it was about, as far as the request wants to know. */
  readonly text: string
}

interface Wish {
  readonly pattern: SearchPattern
  readonly isEnabled: boolean
}

interface Watcher {
  /** The last one that matches a name counts. */
  wishes: readonly Wish[]
  readonly traced: Map<Channel, Disposable>
  readonly waiting: ChannelTrace[]
}

const mostWishes = 100
const mostWaiting = 1_000
/** Traces of traces would never end. */
const traceEvent = controlMessages.typeOf('traceEvent')

export class PipeTraces {
  readonly #deps: PipeTracesDeps
  readonly #watchers = new Map<Channel, Watcher>()

  constructor(deps: PipeTracesDeps) {
    this.#deps = deps
  }

  /** A channel that has just been made. */
  add(channel: Channel): void {
    for (const [to, watcher] of this.#watchers) this.#traceIfWanted(watcher, to, channel)
  }

  /** A controller wants to see, or see no more, over its own channel. */
  toggle(to: Channel, request: Request): ToggleOutcome {
    let patterns: { readonly app: SearchPattern; readonly pipe: SearchPattern }
    try {
      patterns = { app: new SearchPattern(request.appRegex), pipe: new SearchPattern(request.pipeRegex) }
    } catch (error) {
      if (!(error instanceof SearchPatternError)) throw error
      return { success: false, text: error.message }
    }
    if (!patterns.app.occursIn(this.#deps.routerId)) return { success: true, text: '' }
    const watcher = this.#watcherOf(to)
    const { pipe: pattern } = patterns
    const others = watcher.wishes.filter((wish) => wish.pattern.source !== pattern.source)
    watcher.wishes = [...others, { pattern, isEnabled: request.enable }].slice(-mostWishes)
    const lines: string[] = []
    for (const channel of this.#deps.channels()) {
      const isMatch = pattern.occursIn(channel.name)
      if (isMatch && request.enable) this.#traceIfWanted(watcher, to, channel)
      else if (isMatch) this.#release(watcher, channel)
      if (isShown(request.verbosity, isMatch)) {
        lines.push(
          `${channel.name}: ${isMatch ? (request.enable ? 'traced' : 'not traced any more') : 'not matched'}\n`,
        )
      }
    }
    return { success: true, text: lines.join('') }
  }

  #watcherOf(to: Channel): Watcher {
    const known = this.#watchers.get(to)
    if (known !== undefined) return known
    const watcher: Watcher = { wishes: [], traced: new Map(), waiting: [] }
    this.#watchers.set(to, watcher)
    void to.closed.then(() => {
      this.#watchers.delete(to)
      for (const tracing of watcher.traced.values()) tracing[Symbol.dispose]()
    })
    return watcher
  }

  #traceIfWanted(watcher: Watcher, to: Channel, channel: Channel): void {
    const wish = watcher.wishes.findLast(({ pattern }) => pattern.occursIn(channel.name))
    if (wish?.isEnabled !== true || watcher.traced.has(channel)) return
    const tracing = traceChannel(channel, this.#deps.tracerOf(channel), (trace) => this.#record(watcher, to, trace))
    watcher.traced.set(channel, tracing)
    void channel.closed.then(() => this.#release(watcher, channel))
  }

  #release(watcher: Watcher, channel: Channel): void {
    watcher.traced.get(channel)?.[Symbol.dispose]()
    watcher.traced.delete(channel)
  }

  /** Whoever watches a channel must not send over it in the same turn. */
  #record(watcher: Watcher, to: Channel, trace: ChannelTrace): void {
    if (trace.contentType === traceEvent || watcher.waiting.length >= mostWaiting) return
    if (watcher.waiting.push(trace) > 1) return
    setImmediate(() => {
      for (const body of watcher.waiting.splice(0)) to.trySend(controlMessages.encode('traceEvent', { body }), 'low')
    })
  }
}

function isShown(verbosity: Request['verbosity'], isMatch: boolean): boolean {
  return verbosity === 'ReportAll' || verbosity === (isMatch ? 'ReportMatches' : 'ReportMisses')
}
