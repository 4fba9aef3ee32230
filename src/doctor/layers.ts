import { LAYERS, type Layer } from '../../host/launch.ts';
import type { Finding } from './finding.ts';

/** What the lack of each layer means, and how to get it. */
const LACKS: Readonly<Record<Layer, { readonly means: string; readonly advice: string }>> = {
  permission: {
    means: 'code that leaves its isolate has every right of its process',
    advice: 'Use a Node.js with the permission model, 24 or later',
  },
  environment: {
    means: 'code that leaves its isolate reads the environment, secrets included',
    advice: 'This is a fault of Signalbox: please report it',
  },
  cores: {
    means: 'a crash may write what hooks saw to a disk',
    advice: 'Run on Linux with /bin/sh, or turn core dumps off for the whole service',
  },
  files: {
    means: 'only the permission model keeps code that leaves its isolate from writing files',
    advice: 'Run on Linux with /bin/sh and util-linux',
  },
  network: {
    means: 'code that leaves its isolate reaches the network',
    advice:
      'Run on Linux with util-linux, as root or where users may make network namespaces; else let a firewall hold the service',
  },
  user: {
    means: 'code that leaves its isolate may signal processes of the same user, and read its files',
    advice: 'Run on Linux as root with util-linux, so that each process gets a user of its own',
  },
  parent: {
    means: 'a process that is stuck when the host is killed goes on',
    advice: 'Run on Linux with util-linux, or let a service manager end the whole group',
  },
};

/** Without these two nothing of the system's own stands below Node's permission model. */
const BELOW_NODE: readonly Layer[] = ['network', 'user'];

/** Says of each layer of the lock-down whether it is active in a process that was really started. */
export function judgeLayers(active: readonly string[]): Finding[] {
  const isBare = BELOW_NODE.every((layer) => !active.includes(layer));
  return (Object.keys(LAYERS) as Layer[]).map((layer): Finding => {
    if (active.includes(layer))
      return { about: 'layer', name: layer, state: 'fine', detail: LAYERS[layer] };
    const { means, advice } = LACKS[layer];
    const isWeak =
      layer === 'permission' || layer === 'environment' || (isBare && BELOW_NODE.includes(layer));
    return {
      about: 'layer',
      name: layer,
      state: isWeak ? 'weak' : 'reduced',
      detail: `absent: ${means}`,
      advice,
    };
  });
}
