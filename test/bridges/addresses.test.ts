import { expect, test } from 'vitest';
import { addressKind } from '../../src/bridges/addresses.ts';

test.each(['8.8.8.8', '93.184.216.34', '2606:4700::6810:84e5', '2a00:1450:4001::200e'])(
  '%s is public',
  (address) => expect(addressKind(address)).toBe('public'),
);

test.each([
  '127.0.0.1',
  '127.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '::1',
  'fd00::1',
  'fc00::1',
])("%s is in somebody's own network", (address) => expect(addressKind(address)).toBe('private'));

test.each([
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'this network'],
  ['169.254.169.254', 'link-local, where clouds keep their metadata'],
  ['224.0.0.1', 'multicast'],
  ['255.255.255.255', 'broadcast'],
  ['240.0.0.1', 'reserved'],
  ['192.0.2.1', 'documentation'],
  ['198.18.0.1', 'benchmarks'],
  ['192.88.99.1', '6to4 relay'],
  ['::', 'unspecified'],
  ['::ffff:127.0.0.1', 'mapped'],
  ['::ffff:8.8.8.8', 'mapped'],
  ['::ffff:7f00:1', 'mapped'],
  ['::127.0.0.1', 'compatible'],
  ['::8.8.8.8', 'compatible'],
  ['::ffff:0:127.0.0.1', 'translated'],
  ['64:ff9b::7f00:1', 'NAT64'],
  ['64:ff9b::8.8.8.8', 'NAT64'],
  ['64:ff9b:1::7f00:1', 'local NAT64'],
  ['2002:7f00:1::', '6to4 of loopback'],
  ['2002:808:808::', '6to4'],
  ['2001::1', 'Teredo'],
  ['2001:db8::1', 'documentation'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'with a zone'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
  ['100::1', 'discard'],
  ['5f00::1', 'segment routing'],
  ['', 'nothing'],
  ['localhost', 'no address'],
  ['127.0.0.1:80', 'no address'],
])('%s is refused: %s', (address) => expect(addressKind(address)).toBe('refused'));
