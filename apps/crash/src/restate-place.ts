import type { Store } from '@dramaturg/host';
import { restateStore } from '@dramaturg/restate/testing';
import { freePort, RestateCluster, RestateServer, TcpProxy } from '@dramaturg/test-servers';
import type { Mission } from './protocol.ts';

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
