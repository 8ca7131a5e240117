/** The kinds of faults, with their effects. `--only` and `--without` use their names. */
export const faultKinds = {
  kill: 'the process dies; the system keeps what it wrote',
  power: 'the machine loses power; unflushed writes are lost, torn or reordered',
  stop: 'an operator stops and starts the host',
  freeze: 'the process is suspended for seconds to an hour, and goes on',
  takeover: 'a frozen host is replaced by another one, and goes on later',
  clock: 'the time of day is set forward or back',
  outage: 'the channel is down for hours',
  channel: 'deliveries fail, time out, or are accepted and then fail',
  model: 'calls fail, are slow, or are never answered',
  disk: 'writes and flushes fail or are slow, or the disk is full',
  operator: 'people pause, resume, cancel and write by hand',
} as const;

export type FaultKind = keyof typeof faultKinds;

export const allFaultKinds = Object.keys(faultKinds) as FaultKind[];
