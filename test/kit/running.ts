/** A controller that the tests of one file share, with its administrator logged in. */
import { after, before } from 'node:test'
import { ApiClient } from './api-client.ts'
import { ControllerProcess, type StartOptions } from './controller-process.ts'

export interface Running {
  readonly controller: ControllerProcess
  readonly admin: ApiClient
  readonly anonymous: ApiClient
}

/** Starts it before the first test and ends it after the last; to be asked for inside tests only. */
export function sharedController(start: () => Promise<ControllerProcess>): () => Running {
  let running: Running | undefined
  before(async () => {
    const controller = await start()
    running = { controller, admin: await ApiClient.login(controller), anonymous: new ApiClient(controller) }
  })
  after(async () => {
    running?.admin[Symbol.dispose]()
    running?.anonymous[Symbol.dispose]()
    await running?.controller[Symbol.asyncDispose]()
  })
  return () => {
    if (running === undefined) throw new Error('the controller runs only while tests do')
    return running
  }
}

/** A controller of its own kind for the tests of a file: `weft start` with these options. */
export function sharedStart(options: StartOptions = {}): () => Running {
  return sharedController(() => ControllerProcess.start(options))
}
