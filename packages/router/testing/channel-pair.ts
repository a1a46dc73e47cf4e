/** Both ends of a channel over the loopback interface. */
import { type Channel, ChannelAcceptor, type ChannelPlan, dialChannel, TcpPort } from '@weft/wire'

export interface ChannelPair extends AsyncDisposable {
  /** Of whoever dialled. */
  readonly near: Channel
  readonly far: Channel
}

export interface PairOptions {
  readonly plan: ChannelPlan
  /** Registers handlers before anything is read. */
  readonly bindNear?: (channel: Channel) => void
  readonly bindFar?: (channel: Channel) => void
}

export async function channelPair({ plan, bindNear, bindFar }: PairOptions): Promise<ChannelPair> {
  const stack = new AsyncDisposableStack()
  const accepted = Promise.withResolvers<Channel>()
  const admit = () => ({
    identity: 'near',
    name: 'far',
    plan,
    bind(channel: Channel) {
      bindFar?.(channel)
      accepted.resolve(channel)
    },
  })
  const acceptor = stack.use(new ChannelAcceptor({ id: 'far', admit }))
  const port = stack.use(await TcpPort.open('127.0.0.1', 0, (connection) => acceptor.accept(connection)))
  const near = stack.use(
    await dialChannel({
      address: `tcp:127.0.0.1:${port.address.port}`,
      name: 'near',
      plan,
      hello: () => ({ id: 'near' }),
      bind: (channel) => bindNear?.(channel),
    }),
  )
  const far = await accepted.promise
  return { near, far, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
