import type { GatewayHost } from '@signalbox/gateways/gateway-host';

/** Services that this installation lacks: a gateway that needs one learns so at its first use. */
export const NO_HOST: Omit<GatewayHost, 'logger' | 'share'> = {
  ids: { insert: () => missing('map of ids'), report: () => missing('map of ids') },
  segments: {
    add: () => missing('store of inbound segments'),
    end: () => missing('store of inbound segments'),
  },
  slots: { acquire: () => missing('lease of bind slots') },
  orphans: { keep: () => missing('store of orphan reports') },
};

function missing(service: string): Promise<never> {
  return Promise.reject(new Error(`this worker has no ${service}`));
}
