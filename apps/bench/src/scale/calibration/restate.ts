import { RestateServer, whyNoRestate } from '@dramaturg/test-servers';
import { PeerError } from '../../peers.ts';
import type { ContenderName } from '../../side-by-side/contenders.ts';
import { serverFolder } from '../../side-by-side/servers.ts';
import type { Check, RestateCosts } from '../costs.ts';
import { stepsOfTurn } from '../simulation/restate.ts';
import { checkedLevels, checksOf, fittedLevels, openForCalibration } from './contender.ts';
import { bytesWrittenBy, processTimeOf } from './postgres.ts';

const conversations = 256;

const contender: ContenderName = 'ours on Restate';

/**
 * Measures the cost of a turn on one restate-server, and throughputs for checks of a simulation. Linux only.
 *
 * @param sampleMs the duration of each of its measurements
 * @throws PeerError when there is no restate-server
 */
export async function calibrateRestate(
  sampleMs: number,
  onProgress: (step: string) => void,
): Promise<{ readonly costs: RestateCosts; readonly checks: readonly Check[] }> {
  const whyMissing = whyNoRestate();
  if (whyMissing !== undefined) throw new PeerError(whyMissing);
  const [most] = fittedLevels.slice(-1);
  const four = await measured('4', [1, most!], sampleMs, onProgress);
  const one = await measured('1', [most!], sampleMs, onProgress);
  const [alone, together] = four.fitted;
  return {
    costs: {
      handlerMs: together!.cpu,
      serverMs: together!.serverMs,
      stepMs: Math.max(0, (alone!.p50 - alone!.cpu - alone!.serverMs) / stepsOfTurn),
      partitionTurns: one.fitted[0]!.turns,
      diskBytes: together!.diskBytes,
    },
    checks: four.checks,
  };
}

async function measured(
  partitions: string,
  levels: readonly number[],
  sampleMs: number,
  onProgress: (step: string) => void,
) {
  onProgress(`starting restate-server with ${partitions} partitions`);
  const server = await RestateServer.start({
    folder: serverFolder(`calibration-restate-${partitions}`),
    env: { RESTATE_DEFAULT_NUM_PARTITIONS: partitions },
  });
  try {
    const { ingress, admin } = server;
    const sample = await openForCalibration(
      contender,
      { postgres: '', ingress, admin },
      conversations,
    );
    for (const level of checkedLevels) await sample(level, sampleMs);
    const checked = [];
    for (const level of checkedLevels) {
      onProgress(`measuring ${level} turns in flight on ${partitions} partitions`);
      checked.push(await sample(level, sampleMs));
    }
    const fitted = [];
    for (const level of levels) {
      onProgress(`measuring ${level} turns in flight on ${partitions} partitions`);
      const { pid } = server.process;
      const [timeBefore, bytesBefore] = [processTimeOf(pid), bytesWrittenBy(pid)];
      const result = await sample(level, sampleMs);
      fitted.push({
        ...result,
        serverMs: (processTimeOf(pid) - timeBefore) / result.count,
        diskBytes: (bytesWrittenBy(pid) - bytesBefore) / result.count,
      });
    }
    return { fitted, checks: checksOf(checked) };
  } finally {
    await server.stop();
  }
}
