import { createRequire } from 'node:module';
import { installedPath, whyNotInShortTests, whyNotInstalled } from './installed.ts';
import { ServerFolder } from './postgres.ts';

const program = installedPath('s3rver');

/** The reason why no server of S3 can be started here, with the next thing to do; undefined when one can be started. */
export function whyNoBucket(): string | undefined {
  return whyNotInShortTests() ?? whyNotInstalled(program);
}

/**
 * Starts a server of S3 with an empty bucket.
 *
 * @returns the client of the AWS SDK for it, which has its methods
 */
export async function startBucket(
  bucket: string,
): Promise<{ readonly client: object; readonly stop: () => Promise<void> }> {
  const require = createRequire(import.meta.url);
  const { S3 } = require(installedPath('@aws-sdk/client-s3'));
  const Server = require(program);
  const folder = new ServerFolder('dramaturg-bucket', undefined);
  const server = new Server({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder.path,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  const key = 'S3RVER';
  const client = new S3({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'local',
    forcePathStyle: true,
    credentials: { accessKeyId: key, secretAccessKey: key },
  });
  return {
    client,
    stop: async () => {
      client.destroy();
      await server.close();
      folder.remove();
    },
  };
}
