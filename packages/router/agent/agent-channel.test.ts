import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Channel, readResult, singlePlan, StreamConnection } from '@weft/wire'
import { agentMessages, type InspectResponse } from '@weft/wire/messages'
import { greet } from '../../wire/hello/greet.ts'
import { requestMark } from './agent-protocol.ts'
import { AgentSocket } from './agent-socket.ts'
import type { DebugOperations, RouterOperations } from './router-operations.ts'

const folder = mkdtempSync(join(tmpdir(), 'weft-agent-channel-'))
after(() => rmSync(folder, { recursive: true }))
