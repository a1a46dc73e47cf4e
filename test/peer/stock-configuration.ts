/** What the configuration of every stock controller has, alone or in a cluster. */
export interface StockPlaces {
  /** Of its APIs. */
  readonly address: string
  /** Of the control channel, without a scheme. */
  readonly controlAddress: string
  readonly signingCert: Readonly<Record<string, string>>
  /** How it dials routers, in the words of its configuration; without it, not at all. */
  readonly dialer?: Readonly<Record<string, unknown>> | undefined
}

export function stockConfiguration({ address, controlAddress, signingCert, dialer }: StockPlaces) {
  const ctrl = `tls:${controlAddress}`
  return {
    v: 3,
    ctrl: { listener: ctrl, options: { advertiseAddress: ctrl }, ...(dialer && { dialer }) },
    edge: {
      api: { address },
      enrollment: { signingCert, edgeIdentity: { duration: '10m' }, edgeRouter: { duration: '10m' } },
    },
    web: [
      {
        name: 'api',
        bindPoints: [{ interface: address, address }],
        apis: ['edge-management', 'edge-client', 'edge-oidc', 'fabric'].map((binding) => ({ binding })),
      },
    ],
  }
}
