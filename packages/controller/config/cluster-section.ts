/**
 * To the outside a controller is a cluster of one. A clustered file says where the data lies; how several controllers
 * would agree is decided by the store they share, so the rest of the section has nothing to set.
 */
import { required, section, text } from '@weft/model/config-file'

const noElection = 'there is nothing to elect or to replicate between controllers here'
const noPeers = 'controllers do not dial each other here'
const noCopies = 'the store keeps its own journal, see `weft.journal`'

export const clusterSection = section({
  keys: {
    dataDir: required(text(), 'The directory of the database. Relative paths start at the working directory.'),
  },
  ignored: {
    advertiseAddress: 'the address is taken from `ctrl.options.advertiseAddress`',
    bindAddress: 'controllers listen on `ctrl.listener`',
    applyTimeout: noElection,
    commandHandler: 'the queue of changes is set by `command.rateLimiter`',
    commitTimeout: noElection,
    dialer: noPeers,
    electionTimeout: noElection,
    heartbeatTimeout: noElection,
    initialMembers: noPeers,
    leaderLeaseTimeout: noElection,
    logFile: noElection,
    logLevel: noElection,
    maxAppendEntries: noElection,
    minClusterSize: noElection,
    nonMemberGrace: noPeers,
    preferredLeader: noElection,
    rateLimiter: 'the queue of changes is set by `command.rateLimiter`',
    restartSelfOnSnapshot: noCopies,
    snapshotInterval: noCopies,
    snapshotThreshold: noCopies,
    trailingLogs: noCopies,
    warnWhenLeaderlessFor: noElection,
  },
})
