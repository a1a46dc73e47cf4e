import type { BuiltInConfigType } from './config-type.ts'
import { hostV1 } from './host-v1.ts'
import { hostV2 } from './host-v2.ts'
import { interceptV1 } from './intercept-v1.ts'
import { interfacesV1 } from './interfaces-v1.ts'
import { proxyV1 } from './proxy-v1.ts'
import { routerLinkV1 } from './router-link-v1.ts'
import { zitiTunnelerClientV1 } from './ziti-tunneler-client-v1.ts'
import { zitiTunnelerServerV1 } from './ziti-tunneler-server-v1.ts'

/** The config types of a fresh database. */
export const builtInConfigTypes: readonly BuiltInConfigType[] = [
  zitiTunnelerClientV1,
  zitiTunnelerServerV1,
  interceptV1,
  hostV1,
  hostV2,
  interfacesV1,
  proxyV1,
  routerLinkV1,
]
