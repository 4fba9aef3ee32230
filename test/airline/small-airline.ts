import { createHook } from '../../examples/packages/airline-policy/hooks/airline-policy/index.ts';
import type {
  Flight,
  FlightDay,
  Reservation,
  User,
} from '../../examples/packages/airline-policy/policy/database.ts';

export const NOW = '2024-05-15T15:00:00';

/** A day on which a flight can be booked. */
export function available(seats = 9, price = 100): FlightDay {
  const prices = { basic_economy: price, economy: price * 2, business: price * 5 };
  return {
    status: 'available',
    available_seats: { basic_economy: seats, economy: seats, business: seats },
    prices,
  };
}

/** A flight from 06:00 to 07:00, bookable on 20 and 21 May. */
export function flight(origin: string, destination: string, dates: Flight['dates'] = {}): Flight {
  return {
    origin,
    destination,
    scheduled_departure_time_est: '06:00:00',
    scheduled_arrival_time_est: '07:00:00',
    dates: { '2024-05-20': available(), '2024-05-21': available(), ...dates },
  };
}

/** A small database: one gold user with a payment method of each kind, and flights A to B to C and back. */
export function smallAirline() {
  const users: Record<string, User> = {
    ann: {
      membership: 'regular',
      payment_methods: {
        card_1: { source: 'credit_card' },
        card_2: { source: 'credit_card' },
        gift_1: { source: 'gift_card', amount: 200 },
        gift_2: { source: 'gift_card', amount: 200 },
        gift_3: { source: 'gift_card', amount: 200 },
        gift_4: { source: 'gift_card', amount: 200 },
        cert_1: { source: 'certificate', amount: 150 },
        cert_2: { source: 'certificate', amount: 150 },
      },
      reservations: ['RES001'],
    },
  };
  const flights: Record<string, Flight> = {
    AB1: flight('AAA', 'BBB'),
    BC1: flight('BBB', 'CCC'),
    CB1: flight('CCC', 'BBB'),
    BA1: flight('BBB', 'AAA'),
    AC1: flight('AAA', 'CCC'),
  };
  const reservations: Record<string, Reservation> = { RES001: reservation() };
  return { users, flights, reservations };
}

/** Changes what is known of the user. */
export function changeAnn(airline: SmallAirline, changes: Partial<User>): void {
  const { ann } = airline.users;
  if (ann !== undefined) airline.users['ann'] = { ...ann, ...changes };
}

/** An old economy booking of two people from A to B, without insurance. */
export function reservation(changes: Partial<Reservation> = {}): Reservation {
  return {
    user_id: 'ann',
    origin: 'AAA',
    destination: 'BBB',
    flight_type: 'one_way',
    cabin: 'economy',
    flights: [{ flight_number: 'AB1', date: '2024-05-20', price: 150 }],
    passengers: [{}, {}],
    created_at: '2024-05-01T00:00:00',
    total_baggages: 2,
    nonfree_baggages: 0,
    insurance: 'no',
    ...changes,
  };
}

export type SmallAirline = ReturnType<typeof smallAirline>;

/** What the hook answers to a call: the broken rules, none when it lets pass. Counts what it reads. */
export async function rulesOf(airline: SmallAirline, tool: string, args: unknown) {
  let reads = 0;
  const store = {
    get: async (collection: string, key: string): Promise<unknown> => {
      reads += 1;
      const rows: Readonly<Record<string, unknown>> = airline[collection as keyof SmallAirline];
      return Object.hasOwn(rows, key) ? structuredClone(rows[key]) : null;
    },
  };
  const hook = createHook({ now: NOW });
  const decision = await hook.run('preToolUse', { toolName: tool, args }, { store });
  const rules = decision.action === 'block' ? decision.reason.split(', ') : [];
  return { rules, reads };
}
