import type { Calibration } from './costs.ts';
import { needsOfPostgres, needsOfRestate } from './needs.ts';
import { postgresDeployment } from './simulation/postgres.ts';
import { restateDeployment } from './simulation/restate.ts';
import { sizeOfPostgres, sizeOfRestate } from './sizing.ts';
import { checked, type Study, studyOf } from './study.ts';
import { PeerError } from '../peers.ts';

/** The numbers of the command line. */
export interface StudyOptions {
  readonly conversations: number | undefined;
  readonly rate: number | undefined;
  readonly turns: number | undefined;
  readonly seconds: number | undefined;
  readonly hosts: number | undefined;
  readonly cores: number | undefined;
  readonly partitions: number | undefined;
  readonly nodes: number | undefined;
  readonly replication: number | undefined;
}

export function studyPostgres({ postgres }: Calibration, options: StudyOptions): Study {
  if (postgres === undefined) throw noCosts('postgres');
  const { rate, seconds, demand } = loadOf(options);
  const { costs, checks } = postgres;
  const size = sizeOfPostgres(costs, rate);
  const chosen = { hosts: options.hosts ?? size.hosts, cores: options.cores ?? size.cores };
  return {
    store: 'Postgres',
    size: { hosts: chosen.hosts, 'processors of Postgres': chosen.cores },
    needs: needsOfPostgres(costs, demand),
    ...studyOf(postgresDeployment(costs, chosen), { rate, seconds }),
    // One host. The server has the rest of the machine.
    checks: checked(postgresDeployment(costs, { hosts: 1, cores: 1 }), checks),
  };
}

export function studyRestate({ restate }: Calibration, options: StudyOptions): Study {
  if (restate === undefined) throw noCosts('restate');
  const { rate, seconds, demand } = loadOf(options);
  const { costs, checks } = restate;
  const [nodes, replication] = [options.nodes!, options.replication!];
  const size = sizeOfRestate(costs, rate, replication);
  const chosen = {
    handlers: options.hosts ?? size.handlers,
    cores: options.cores ?? size.cores,
    partitions: options.partitions ?? size.partitions,
    replication,
  };
  return {
    store: 'Restate',
    size: {
      'handler processes': chosen.handlers,
      nodes,
      'processors of all nodes': chosen.cores,
      partitions: chosen.partitions,
    },
    needs: needsOfRestate(costs, demand, { nodes, replication }),
    ...studyOf(restateDeployment(costs, chosen), { rate, seconds }),
    checks: checked(
      restateDeployment(costs, { handlers: 1, cores: 1, partitions: 4, replication: 1 }),
      checks,
    ),
  };
}

function loadOf({ conversations, rate, turns, seconds }: StudyOptions) {
  return {
    rate: rate!,
    seconds: seconds!,
    demand: { conversations: conversations!, rate: rate!, turns: turns! },
  };
}

function noCosts(store: string): PeerError {
  return new PeerError(
    `The file of --costs has no costs of ${store}. Measure them: leave out --costs, and name another file with --save.`,
  );
}
