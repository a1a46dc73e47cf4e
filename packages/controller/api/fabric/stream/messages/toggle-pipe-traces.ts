/** Turns traces of channels on or off, at the controller and at routers whose ids match. */
import { SearchPattern, SearchPatternError } from '@weft/model'
import type { ManagementMessage } from '@weft/wire/messages'
import type { ControlConnection } from '../../../../control/control-connection.ts'
import { defineStreamHandler, type StreamContext } from '../stream-handler.ts'

type Request = ManagementMessage<'togglePipeTraces'>['body']

const ANSWER_MILLISECONDS = 5_000

export const togglePipeTraces = defineStreamHandler(
  'togglePipeTraces',
  async ({ message: { body: request }, frame, stream }, context) => {
    const { success, text } = await toggle(request, context)
    await stream.reply(frame, 'result', { success, body: text })
  },
)

interface Outcome {
  readonly success: boolean
  readonly text: string
}

async function toggle(request: Request, context: StreamContext): Promise<Outcome> {
  const { traces, circuitTraces, routers, controllerId } = context
  const patterns = compiled(request)
  if (patterns instanceof SearchPatternError) return { success: false, text: patterns.message }
  const { app, pipe } = patterns
  const report = new Report(request.verbosity)
  report.add(app.occursIn(controllerId), `App ${controllerId} matched? ${app.occursIn(controllerId)}`)
  if (app.occursIn(controllerId)) {
    for (const { name, isMatch } of traces.toggle(pipe, request.enable)) {
      report.add(isMatch, `Link ${name} matched? ${isMatch}`)
    }
  }
  const asked = [...routers.all()].filter(({ connection: { routerId } }) => {
    const isMatch = app.occursIn(routerId)
    report.add(isMatch, `App ${routerId} matched? ${isMatch}`)
    return isMatch
  })
  const outcomes = await Promise.all(asked.map(({ connection }) => toggleAt(connection as ControlConnection, request)))
  circuitTraces.pipesToggled(app, pipe, request.enable)
  const text = report.text + outcomes.map((outcome) => outcome.text).join('')
  return { success: outcomes.every(({ success }) => success), text }
}

async function toggleAt(connection: ControlConnection, body: Request): Promise<Outcome> {
  try {
    const options = { timeoutMilliseconds: ANSWER_MILLISECONDS, queue: 'low' }
    const { message } = await connection.request('togglePipeTraces', { body }, options)
    return { success: message.success, text: message.body }
  } catch (error) {
    return { success: false, text: `${connection.routerId}: ${(error as Error).message}\n` }
  }
}

function compiled({ appRegex, pipeRegex }: Request) {
  try {
    return { app: new SearchPattern(appRegex), pipe: new SearchPattern(pipeRegex) }
  } catch (error) {
    if (error instanceof SearchPatternError) return error
    throw error
  }
}

/** What the caller wants to know of what matched and what did not. */
class Report {
  text = ''
  readonly #verbosity: Request['verbosity']

  constructor(verbosity: Request['verbosity']) {
    this.#verbosity = verbosity
  }

  add(isMatch: boolean, line: string): void {
    const isWanted = isMatch ? ['ReportMatches', 'ReportAll'] : ['ReportMisses', 'ReportAll']
    if (isWanted.includes(String(this.#verbosity))) this.text += `${line}\n`
  }
}
