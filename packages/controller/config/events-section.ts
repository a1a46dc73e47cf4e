/**
 * Who is told about events. The section keeps the file's shape and names, because what its values mean is the business
 * of `events/`: `planEventHandlers` judges them, and its findings are shown at their places like any other.
 */
import {
  custom,
  type Draft,
  flag,
  integer,
  listOf,
  mapOf,
  oneOrMore,
  optional,
  parseDuration,
  required,
  section,
  text,
  type ValueOf,
} from '@weft/model/config-file'
import type { EventConfigProblem, EventHandlerConfig } from '../events/event-config.ts'
import { planEventHandlers } from '../events/handler-plan.ts'

const notHere = 'handlers of type amqp and servicebus do not exist here'

const durationAsWritten = custom('a duration such as 30s or 5m', (written) =>
  parseDuration(written) === undefined ? undefined : written,
)

const subscriptionSection = section({
  keys: {
    type: required(text(), 'What is told: `entityChange`, `apiSession`, `session`, `authentication`, `circuit`, ….'),
    include: optional(oneOrMore(text()), 'Only these event types; for `entityChange`, only these entity types.'),
    interval: optional(durationAsWritten, 'For `entityCount`: how often it is counted; 5m when absent.'),
    includeParentEvents: optional(flag(), 'For `entityChange`: also events about the parent of an entity.'),
    propagateAlways: optional(flag(), 'Accepted; every controller that runs tells everything.'),
    sourceFilter: optional(text(), 'For `metrics`: a regular expression for who reports.'),
    metricFilter: optional(text(), 'For `metrics`: a regular expression for the names of metrics.'),
    version: optional(integer({ min: 2, max: 3 }), 'For `usage`: the form of the events.'),
  },
})

const handlerSection = section({
  keys: {
    type: required(text(), '`file` or `stdout`.'),
    format: optional(text(), '`json` or `plain`; required.'),
    path: optional(text(), 'For `file`, required: the file that is appended to.'),
    maxsizemb: optional(integer(), 'For `file`: the size in MiB at which a new file is begun; 10 when absent.'),
    maxbackups: optional(integer(), 'For `file`: how many former files are kept; 0 or absent keeps all.'),
    bufferSize: optional(integer(), 'Raises how many events may wait for a slow output.'),
  },
  ignored: {
    url: notHere,
    queue: notHere,
    topic: notHere,
    connectionString: notHere,
    durable: notHere,
    autoDelete: notHere,
    exclusive: notHere,
    noWait: notHere,
  },
})

const eventHandlerSection = section({
  keys: {
    subscriptions: required(listOf(subscriptionSection), 'What is told.'),
    handler: required(handlerSection, 'Where it goes.'),
  },
})

export const eventsSection = mapOf(eventHandlerSection)

type HandlerDraft = Draft<ValueOf<typeof eventHandlerSection.keys>>

/** What `events/` has to say about the handlers that could be read; their paths start at the handler's name. */
export function judgeEventHandlers(
  handlers: Readonly<Record<string, HandlerDraft | undefined>>,
): readonly EventConfigProblem[] {
  const readable = Object.entries(handlers).filter((entry): entry is [string, EventHandlerConfig] => isWhole(entry[1]))
  return planEventHandlers(Object.fromEntries(readable)).problems
}

function isWhole(draft: HandlerDraft | undefined): boolean {
  return draft?.handler?.type !== undefined && draft.subscriptions?.every(({ type }) => type !== undefined) === true
}
