/** A control connection without a controller around it: both ends in one process, over loopback. */
import { type Channel, ChannelAcceptor, controlPlan, dialChannel, TcpPort } from '@weft/wire'
import { ControlConnection } from '../control/control-connection.ts'
import { createLogger } from '../log/logger.ts'

export interface ControlPair extends AsyncDisposable {
  /** As the controller has it. */
  readonly connection: ControlConnection
  /** As the router has it. */
  readonly router: Channel
}

/** `bind` registers what the router does with messages. */
export async function controlPair(routerId: string, bind: (router: Channel) => void): Promise<ControlPair> {
  await using made = new AsyncDisposableStack()
  const log = made.use(createLogger({ stream: process.stderr }, { level: 'error', format: 'json' }))
  const { promise, resolve } = Promise.withResolvers<ControlConnection>()
  const acceptor = made.use(
    new ChannelAcceptor({
      id: 'controller',
      admit: () => ({
        identity: routerId,
        plan: controlPlan,
        name: routerId,
        bind: (channel) => resolve(new ControlConnection({ channel, routerId, isResumed: false, log })),
      }),
    }),
  )
  const port = made.use(await TcpPort.open('127.0.0.1', 0, (connection) => acceptor.accept(connection)))
  const router = made.use(
    await dialChannel({
      name: 'router',
      address: `tcp:127.0.0.1:${port.address.port}`,
      plan: controlPlan,
      hello: () => ({ id: routerId }),
      bind,
    }),
  )
  const connection = await promise
  made.defer(() => connection.parts.dispose())
  const parts = made.move()
  return { connection, router, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}
