/** The flags that all comparisons have: with whom, what, and for how long. */
import { Contender } from './contender.ts'

export const comparisonFlags = {
  against: { type: 'string' },
  'against-user': { type: 'string', default: 'admin' },
  'against-password': { type: 'string', default: 'admin' },
  'against-pid': { type: 'string' },
  only: { type: 'string' },
  profile: { type: 'string' },
  smoke: { type: 'boolean', default: false },
} as const

interface OtherFlags {
  readonly 'against-user': string
  readonly 'against-password': string
  readonly 'against-pid'?: string | undefined
}

/** The controller that ours is compared with, as the flags name it. */
export function openOther(url: string, flags: OtherFlags): Promise<Contender> {
  const pid = flags['against-pid']
  return Contender.open({
    name: 'other',
    isOurs: false,
    url,
    username: flags['against-user'],
    password: flags['against-password'],
    pid: pid === undefined ? undefined : Number(pid),
  })
}
