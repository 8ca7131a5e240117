import type { Store } from '@dramaturg/host';
import { restateStore } from '@dramaturg/restate/testing';
import {
  freePort,
  type PostgresServer,
  RestateCluster,
  RestateServer,
  TcpProxy,
} from '@dramaturg/test-servers';
import type { Chance } from '@dramaturg/testing';
import type { Mission, StoreKind } from './protocol.ts';
import type { Victim } from './victim.ts';

/** The kinds of trouble that a lane makes for its hosts. */
export const troubleKinds = ['kills', 'faults', 'fills', 'cuts', 'outages'] as const;
export type TroubleKind = (typeof troubleKinds)[number];

/** The lane's functions that a trouble uses. */
export interface Scene {
  readonly store: StoreKind;
  /** The folder of the store. */
  readonly folder: string;
  readonly chance: Chance;
  /** Starts a host on the store. It gets the requests of the crowd until it has ended. */
  readonly start: (
    mission?: Pick<Mission, 'killAt' | 'database' | 'restate'>,
    environment?: NodeJS.ProcessEnv,
  ) => Victim;
  /** Sends all further requests to a host. */
  readonly connect: (victim: Victim) => void;
  /** The server of a store in Postgres. */
  readonly server: PostgresServer | undefined;
  /** The URL of the store on it. */
  readonly database: string | undefined;
  /** Restate, when the hosts are on it. */
  readonly restate: RestatePlace | undefined;
  /** Starts a proxy, which is stopped with the lane. */
  readonly proxyTo: (port: number) => Promise<TcpProxy>;
  /** Records how a host has ended. @throws Error if it has ended in an unexpected way */
  readonly end: (victim: Victim) => Promise<void>;
  readonly onProgress: (times: number) => void;
}

/** The troubles that have happened. */
export interface Troubled {
  /** The number of troubles of each kind. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Milliseconds from each trouble until another host had taken over the store. */
  readonly takeovers?: readonly number[];
}

/** Makes trouble this many times. */
export type Trouble = (scene: Scene, times: number) => Promise<Troubled>;

/** The number of copies of each write in a cluster. One node may be lost. */
const replication = 2;

const namespace = 'crash';

/**
 * Restate with a proxy in front of each node, through which hosts call it, and one in front of the handlers, through which it
 * calls them. All hosts serve their handlers on one port.
 */
export class RestatePlace {
  readonly nodes: readonly RestateServer[];
  readonly toNodes: readonly TcpProxy[];
  readonly toHandlers: TcpProxy;
  readonly #port: number;

  private constructor(
    nodes: readonly RestateServer[],
    toNodes: readonly TcpProxy[],
    toHandlers: TcpProxy,
    port: number,
  ) {
    this.nodes = nodes;
    this.toNodes = toNodes;
    this.toHandlers = toHandlers;
    this.#port = port;
  }

  /** @throws ServerError `server/missing`, `server/failed` */
  static async start(nodeCount: number): Promise<RestatePlace> {
    const nodes =
      nodeCount === 1
        ? [await RestateServer.start()]
        : (await RestateCluster.start({ nodes: nodeCount, replication })).nodes;
    const port = await freePort();
    const proxyTo = (target: number) => TcpProxy.start({ port: target });
    const toNodes = await Promise.all(
      nodes.map(({ ingress }) => proxyTo(Number(new URL(ingress).port))),
    );
    return new RestatePlace(nodes, toNodes, await proxyTo(port), port);
  }

  /** The settings of a host that calls a node. */
  missionAt(node: number): NonNullable<Mission['restate']> {
    return {
      namespace,
      ingress: `http://127.0.0.1:${this.toNodes[node]!.port}`,
      admin: this.nodes[node]!.admin,
      handlers: {
        port: this.#port,
        reusePort: true,
        advertised: `http://127.0.0.1:${this.toHandlers.port}`,
      },
    };
  }

  /** The stored records, read through a host that serves the handlers. */
  store(): Store {
    return restateStore(this.missionAt(0));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.toNodes, this.toHandlers].map((proxy) => proxy.stop()));
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}
