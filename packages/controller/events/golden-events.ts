/** Test data: events beside the exact lines that the peers' own formatter prints for them (tokens masked). */
import type { ControllerEvent } from './event-types.ts'
import { maskToken } from './token-mask.ts'

export interface GoldenEvent {
  readonly event: ControllerEvent
  /** What the subscription calls the namespace, when that is its former name. */
  readonly shownAs?: string
  readonly json: string
  /** Absent where the peers have no plain line. */
  readonly plain?: string
}

export const goldenTime = '2026-08-01T12:00:00.123Z'
export const goldenSource = 'ctrl1'

const token = maskToken('abc')

export const goldenEvents: readonly GoldenEvent[] = [
  {
    event: {
      namespace: 'apiSession',
      event_type: 'created',
      id: 's1',
      type: 'legacy',
      token,
      identity_id: 'i1',
      ip_address: '127.0.0.1',
      cert_generated: false,
    },
    json: '{"namespace":"apiSession","event_src_id":"ctrl1","timestamp":"2026-08-01T12:00:00.123Z","event_type":"created","id":"s1","type":"legacy","token":"sha256:ba7816bf8f01cfea","identity_id":"i1","ip_address":"127.0.0.1","cert_generated":false}',
    plain:
      'apiSession.created id=s1 timestamp=2026-08-01 12:00:00.123 +0000 UTC token=sha256:ba7816bf8f01cfea identityId=i1 ipAddress=127.0.0.1 certGenerated=false',
  },
  {
    event: {
      namespace: 'session',
      event_type: 'deleted',
      session_type: 'Dial',
      provider: 'legacy',
      id: 's2',
      token,
      api_session_id: 's1',
      identity_id: 'i1',
      service_id: 'v1',
    },
    json: '{"namespace":"session","event_src_id":"ctrl1","timestamp":"2026-08-01T12:00:00.123Z","event_type":"deleted","session_type":"Dial","provider":"legacy","id":"s2","token":"sha256:ba7816bf8f01cfea","api_session_id":"s1","identity_id":"i1","service_id":"v1"}',
    plain:
      'session.deleted id=s2 timestamp=2026-08-01 12:00:00.123 +0000 UTC token=sha256:ba7816bf8f01cfea apiSessionId=s1 identityId=i1',
  },
  {
    event: {
      namespace: 'session',
      event_type: 'created',
      session_type: 'Bind',
      provider: 'jwt',
      id: 's2',
      api_session_id: 's1',
      identity_id: 'i1',
      service_id: 'v1',
    },
    shownAs: 'edge.sessions',
    json: '{"namespace":"edge.sessions","event_src_id":"ctrl1","timestamp":"2026-08-01T12:00:00.123Z","event_type":"created","session_type":"Bind","provider":"jwt","id":"s2","api_session_id":"s1","identity_id":"i1","service_id":"v1"}',
    plain:
      'edge.sessions.created id=s2 timestamp=2026-08-01 12:00:00.123 +0000 UTC token= apiSessionId=s1 identityId=i1',
  },
  {
    event: {
      namespace: 'authentication',
      event_type: 'fail',
      type: 'updb',
      authenticator_id: 'a1',
      external_jwt_signer_id: '',
      identity_id: 'i1',
      auth_policy_id: 'default',
      remote_address: '127.0.0.1:5000',
      success: false,
      reason: 'could not authenticate, password does not match',
      improper_client_cert_chain: false,
    },
    json: '{"namespace":"authentication","event_src_id":"ctrl1","timestamp":"2026-08-01T12:00:00.123Z","event_type":"fail","type":"updb","authenticator_id":"a1","external_jwt_signer_id":"","identity_id":"i1","auth_policy_id":"default","remote_address":"127.0.0.1:5000","success":false,"reason":"could not authenticate, password does not match","improper_client_cert_chain":false}',
    plain:
      'authentication.fail method=updb, authenticatorId=a1 timestamp=2026-08-01 12:00:00.123 +0000 UTC identityId=i1 ipAddress=127.0.0.1:5000 extJwtSignerId= authPolicyId=default impropertClientCertChain=false success=false reason=could not authenticate, password does not match',
  },
  {
    event: { namespace: 'entityCount', counts: { apiSessions: 1, 'routers.edge': 3, services: 2 } },
    json: '{"namespace":"entityCount","event_src_id":"ctrl1","timestamp":"2026-08-01T12:00:00.123Z","counts":{"apiSessions":1,"routers.edge":3,"services":2}}',
    plain:
      'entityCount timestamp=2026-08-01 12:00:00.123 +0000 UTC counts=map[apiSessions:1 routers.edge:3 services:2] err=',
  },
  {
    event: { namespace: 'entityCount', counts: null, error: 'no' },
    json: '{"namespace":"entityCount","event_src_id":"ctrl1","timestamp":"2026-08-01T12:00:00.123Z","counts":null,"error":"no"}',
    plain: 'entityCount timestamp=2026-08-01 12:00:00.123 +0000 UTC counts=map[] err=no',
  },
  {
    event: {
      namespace: 'connect',
      src_type: 'identity',
      dst_type: 'ctrl',
      src_id: 'i1',
      src_addr: '127.0.0.1:5000',
      dst_id: 'ctrl1',
      dst_addr: 'localhost:1280',
    },
    json: '{"namespace":"connect","event_src_id":"ctrl1","timestamp":"2026-08-01T12:00:00.123Z","src_type":"identity","dst_type":"ctrl","src_id":"i1","src_addr":"127.0.0.1:5000","dst_id":"ctrl1","dst_addr":"localhost:1280"}',
  },
  {
    event: {
      namespace: 'entityChange',
      timestamp: goldenTime,
      eventId: 'e1',
      eventType: 'created',
      metadata: {
        author: { type: 'identity', id: 'i1', name: 'admin' },
        raft_index: 7,
        source: {
          type: 'rest',
          auth: 'edge',
          localAddr: 'localhost:1280',
          remoteAddr: '127.0.0.1:5000',
          method: 'POST',
        },
        trace_id: 't1',
        version: 'v2.1.0',
      },
      entityType: 'services',
      isParentEvent: false,
      initialState: null,
      finalState: { id: 'v1', name: 'web' },
    },
    json: '{"namespace":"entityChange","event_src_id":"ctrl1","timestamp":"2026-08-01T12:00:00.123Z","eventId":"e1","eventType":"created","metadata":{"author":{"type":"identity","id":"i1","name":"admin"},"raft_index":7,"source":{"type":"rest","auth":"edge","localAddr":"localhost:1280","remoteAddr":"127.0.0.1:5000","method":"POST"},"trace_id":"t1","version":"v2.1.0"},"entityType":"services","isParentEvent":false,"initialState":null,"finalState":{"id":"v1","name":"web"}}',
  },
  {
    event: {
      namespace: 'entityChange',
      timestamp: goldenTime,
      eventId: 'e1',
      eventType: 'committed',
      entityType: 'services',
      isParentEvent: false,
    },
    json: '{"namespace":"entityChange","event_src_id":"ctrl1","timestamp":"2026-08-01T12:00:00.123Z","eventId":"e1","eventType":"committed"}',
  },
]
