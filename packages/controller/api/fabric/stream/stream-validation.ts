/** A validation on a stream: how many results there will be, or why there are none; then the results. */
import type { Message } from '@weft/wire'
import type { ManagementMessageInit } from '@weft/wire/messages'
import { filterProblem, type Validation } from '../../../control/validation/validation.ts'
import type { ManagementStream } from './management-stream.ts'

type Started = ManagementMessageInit<'validateLinksStarted'>['body']
type StartedName =
  | 'validateTerminatorsStarted'
  | 'validateLinksStarted'
  | 'validateSdkTerminatorsStarted'
  | 'validateDataModelStarted'
  | 'validateIdentityConnectionsStarted'
  | 'validateErtTerminatorsStarted'
  | 'validateCircuitsStarted'
  | 'validateControllerDialersStarted'

export interface StreamedValidation<Result> {
  readonly stream: ManagementStream
  readonly frame: Message
  readonly controllerId: string
  /** What says that it has begun. */
  readonly started: StartedName
  readonly begin: () => Promise<Validation<Result>>
  readonly tell: (result: Result) => Promise<void>
}

/** Answers whether it has begun, and resolves when everything is told. */
export async function streamValidation<Result>(validation: StreamedValidation<Result>): Promise<boolean> {
  const { stream, frame, started, controllerId, begin, tell } = validation
  const answer = (body: Started) => stream.reply(frame, started, { body })
  let begun: Validation<Result>
  try {
    begun = await begin()
  } catch (error) {
    await answer({ success: false, message: `${controllerId}: ${filterProblem(error)}` })
    return false
  }
  await answer({ success: true, count: begun.count })
  await begun.run(tell, stream.signal)
  return true
}
