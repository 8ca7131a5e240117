import { RestateServer, freeRestatePorts } from './restate.ts';

export interface ClusterOptions {
  readonly nodes: number;
  /** How many nodes must have a write before it is acknowledged. */
  readonly replication: number;
}

/** Several restate-server nodes that listen on the loopback interface and replicate each write among them. */
export class RestateCluster {
  /** Each node has its own URLs and its own process: `nodes[0].process.end('SIGKILL')`, then `nodes[0].restart()`. */
  readonly nodes: readonly RestateServer[];

  private constructor(nodes: readonly RestateServer[]) {
    this.nodes = nodes;
  }

  /**
   * Starts all nodes. Fulfils when each of them answers calls.
   *
   * @throws ServerError `server/missing`, `server/failed`
   */
  static async start({ nodes, replication }: ClusterOptions): Promise<RestateCluster> {
    const ports = await Promise.all(Array.from({ length: nodes }, () => freeRestatePorts()));
    const addresses = JSON.stringify(ports.map(({ node }) => `http://127.0.0.1:${node}`));
    const started = await Promise.allSettled(
      ports.map((own, index) =>
        RestateServer.start({
          ports: own,
          env: {
            RESTATE_CLUSTER_NAME: `test-${ports[0]!.node}`,
            RESTATE_NODE_NAME: `node-${index + 1}`,
            RESTATE_FORCE_NODE_ID: String(index + 1),
            RESTATE_ADVERTISED_HOST: '127.0.0.1',
            RESTATE_METADATA_CLIENT__ADDRESSES: addresses,
            RESTATE_DEFAULT_REPLICATION: String(replication),
            // One node creates the cluster, and the others join it.
            RESTATE_AUTO_PROVISION: String(index === 0),
          },
        }),
      ),
    );
    const running = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const failed = started.find((each) => each.status === 'rejected');
    const cluster = new RestateCluster(running);
    if (failed === undefined) return cluster;
    await cluster.stop();
    throw failed.reason;
  }

  /** Ends all nodes, and removes their data. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}
