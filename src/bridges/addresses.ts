import ipaddr from 'ipaddr.js';

/** Where an address leads, as far as it matters to whoever sends a request there for somebody else. */
export type AddressKind = 'public' | 'private' | 'refused';

/** Ranges of ordinary machines in the operator's own networks: an exception may open them. */
const OWN = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);

/** All of IPv6 that is routed today; ranges inside that are not public are told apart by the library. */
const GLOBAL_IPV6 = ipaddr.IPv6.parse('2000::');
const GLOBAL_BITS = 3;

/**
 * What an address is. Only ordinary unicast is public. IPv4 inside IPv6 (mapped, compatible, NAT64, 6to4, Teredo) is
 * refused whole: no resolver answers with it honestly, and each form is a way round a check of the IPv4 part.
 */
export function addressKind(text: string): AddressKind {
  if (!ipaddr.isValid(text) || text.includes('%')) return 'refused';
  const address = ipaddr.parse(text);
  const range = address.range();
  if (OWN.has(range)) return 'private';
  if (range !== 'unicast') return 'refused';
  const isRouted = address instanceof ipaddr.IPv6 ? address.match(GLOBAL_IPV6, GLOBAL_BITS) : true;
  return isRouted ? 'public' : 'refused';
}
