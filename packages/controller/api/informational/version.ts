/**
 * The version document: what clients read first, to learn which APIs there are, where, and how to log in.
 */

import { answerData } from '../../operation/envelope.ts'
import type { Operation } from '../../operation/operation.ts'
import { networkVersion } from '../../version.ts'
import type { ApiVersions } from '../api-versions.ts'
import { offeredCapabilities } from './capabilities.ts'

/** What else the document tells of a program. Weft runs from its sources, which is what peers call a local build. */
const build = {
  revision: 'local',
  buildDate: '2020-01-01 01:01:01',
  runtimeVersion: `node${process.versions.node}`,
}

export interface VersionDeps {
  /** The APIs that are served, by binding. */
  readonly versions: () => ApiVersions
}

export function versionDocument(versions: ApiVersions) {
  return { ...build, version: networkVersion, capabilities: offeredCapabilities(versions), apiVersions: versions }
}

export function versionOperations({ versions }: VersionDeps): Operation[] {
  const handle = () => answerData(versionDocument(versions()))
  return [
    { operationId: 'listRoot', method: 'GET', path: '/', access: 'anyone', handle },
    { operationId: 'listVersion', method: 'GET', path: '/version', access: 'anyone', handle },
  ]
}
