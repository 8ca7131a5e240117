import { readFileSync, writeFileSync } from 'node:fs';

/** A cost in milliseconds, with a part for each turn and a part for each group of writes that are committed together. */
export interface SharedCost {
  readonly turnMs: number;
  readonly groupMs: number;
}

/** The cost of a turn on Postgres, as measured by a calibration. */
export interface PostgresCosts {
  /** Processor time of the process of the host. */
  readonly handler: SharedCost;
  /** Processor time of the processes of Postgres. */
  readonly server: SharedCost;
  /** The time that Postgres waits for a flush of its log. */
  readonly flushMs: number;
  /** The rest of the time of a commit, without processor time and flush: round trips and scheduling. */
  readonly roundTripMs: number;
  /** Bytes of the log for a turn, when its pages were written since the last checkpoint. */
  readonly logBytes: number;
  /** Pages of 8 KiB that a turn adds to the log, if it is the first one to write to them since the last checkpoint. */
  readonly pagesAfterCheckpoint: number;
  /** Bytes of tables and indexes for a conversation that has been greeted. */
  readonly conversationBytes: number;
  /** Bytes of tables and indexes that each turn adds. */
  readonly turnBytes: number;
}

/** The cost of a turn on Restate, as measured by a calibration. */
export interface RestateCosts {
  /** Processor time of the process of the handlers for a turn. */
  readonly handlerMs: number;
  /** Processor time of restate-server for a turn, on one node. */
  readonly serverMs: number;
  /** The time of one durable step of a turn, without processor time: the log, and the way to the handler. */
  readonly stepMs: number;
  /** The turns per second of one partition, with 128 in flight. */
  readonly partitionTurns: number;
  /** Bytes that restate-server writes to its disk for a turn. */
  readonly diskBytes: number;
}

/** A measured throughput for a check of the simulation. It is not used to find the costs. */
export interface Check {
  readonly inFlight: number;
  readonly turns: number;
  readonly p50: number;
}

/** The result of a calibration, as JSON. */
export interface Calibration {
  /** The processors of the machine, for people. */
  readonly machine: string;
  readonly postgres?: { readonly costs: PostgresCosts; readonly checks: readonly Check[] };
  readonly restate?: { readonly costs: RestateCosts; readonly checks: readonly Check[] };
}

export function readCalibration(file: string): Calibration {
  return JSON.parse(readFileSync(file, 'utf8')) as Calibration;
}

export function saveCalibration(file: string, calibration: Calibration): void {
  writeFileSync(file, `${JSON.stringify(calibration, undefined, 2)}\n`);
}
