//! The chosen values in registers and memory, and what is told of them.

use super::scratch::Filling;
use super::value::{ESP, Origin, Value};
use super::{Choice, Told};
use iced_x86::{Instruction, InstructionInfoFactory, OpAccess};
use p5_image::{Assumed, Place, STACK_HEADROOM, SymbolKind};

impl Choice<'_> {
    /// Writes the values to registers and memory, and tells of them.
    pub(super) fn tell(&mut self) {
        for origin in 0..self.flow.origins.len() as u8 {
            // Nothing passes it, so that it is 0.
            if self.is_argument(origin) && self.address(origin).is_some() {
                self.set(origin, 0, Told::Number);
            }
        }
        let mut pointers = Vec::new();
        let mut numbers = Vec::new();
        for at in 0..self.flow.origins.len() {
            let (Some(value), Some(told)) = (self.values[at], self.told[at]) else {
                continue;
            };
            match self.flow.origins[at] {
                Origin::Register(number) => {
                    let kept = if self.is_half(number) { 0xFFFF } else { u32::MAX };
                    self.preset.registers[usize::from(number)] = Some(value as u32 & kept);
                }
                Origin::Memory { .. } => {
                    let Some(address) = self.address(at as u8) else {
                        continue;
                    };
                    let width = self.flow.width;
                    let bytes = value.to_le_bytes().into_iter().take(width.bytes as usize);
                    self.preset.memory.push((width.base + address, bytes.collect()));
                }
            }
            let place = self.named(at as u8);
            match told {
                Told::Pointer(bytes, filling) => {
                    let itself = filling == Filling::Itself;
                    if !itself {
                        self.contents.push(Assumed::Contents {
                            of: place.clone(),
                            holds: filling.holds(self.flow.width),
                        });
                    }
                    pointers.push(Assumed::Pointer { place, bytes, itself });
                }
                Told::Number => numbers.push(Assumed::Number { place, value }),
                Told::Beyond(from) => numbers.push(Assumed::Beyond {
                    place,
                    from: self.named(from),
                    distance: value.wrapping_sub(self.known(Value::of(from)).unwrap_or(0)),
                }),
            }
        }
        let floating = floating(&self.flow.code);
        let mut assumed: Vec<Assumed> = pointers.into_iter().chain(numbers).collect();
        if floating > 0 {
            self.preset.floating = floating;
            assumed.push(Assumed::Floating { registers: floating });
        }
        assumed.append(&mut self.preset.assumed);
        self.preset.assumed = assumed;
    }

    /// Whether 16-bit code uses only the lower half of a register.
    fn is_half(&self, number: u8) -> bool {
        let mut factory = InstructionInfoFactory::new();
        let whole = crate::general(usize::from(number));
        let mut code = self.flow.code.iter();
        self.flow.width.is_narrow()
            && !code.any(|one| {
                factory
                    .info(one)
                    .used_registers()
                    .iter()
                    .any(|used| used.register() == whole)
            })
    }

    /// Where an origin in memory lies, if something is there.
    fn address(&self, origin: u8) -> Option<u32> {
        let Some(Origin::Memory { base, displacement }) = self.flow.origins.get(usize::from(origin)).copied() else {
            return None;
        };
        let stack = self.flow.width.stack;
        let start = match base {
            None => 0,
            Some(base) => match self.flow.origins[usize::from(base)] {
                // The return address is there, and the stack ends soon.
                Origin::Register(ESP) => {
                    let room = self.flow.width.bytes as i32..=STACK_HEADROOM as i32 - 8;
                    room.contains(&displacement).then_some(stack)?
                }
                _ => self.values[usize::from(base)]? as u32,
            },
        };
        Some(start.wrapping_add_signed(displacement))
    }

    /// An origin as the source would write it.
    pub(super) fn named(&self, origin: u8) -> Place {
        match self.flow.origins[usize::from(origin)] {
            Origin::Register(number) => Place::Register(number),
            Origin::Memory { base, displacement } => Place::Memory(self.written(base, displacement)),
        }
    }

    fn written(&self, base: Option<u8>, displacement: i32) -> String {
        let width = self.flow.width;
        let Some(base) = base else {
            let address = width.base.wrapping_add(displacement as u32);
            let symbol = self.image.symbols.iter().find(|symbol| {
                let data = matches!(symbol.kind, SymbolKind::Data { .. });
                data && symbol.value <= address && address < symbol.value + symbol.size
            });
            return match symbol {
                Some(symbol) if symbol.value == address => symbol.name.clone(),
                Some(symbol) => format!("{}+{}", symbol.name, address - symbol.value),
                None if width.is_narrow() => format!("[{:04X}h]", displacement as u32),
                None => format!("[{:08X}h]", displacement as u32),
            };
        };
        let base = match self.flow.origins[usize::from(base)] {
            Origin::Register(number) => {
                let name = format!("{:?}", crate::general(usize::from(number))).to_ascii_lowercase();
                let half = name.get(1..).filter(|_| width.is_narrow()).map(str::to_owned);
                half.unwrap_or(name)
            }
            Origin::Memory { base, displacement } => self.written(base, displacement),
        };
        match displacement {
            0 => format!("[{base}]"),
            1.. => format!("[{base}+{displacement}]"),
            _ => format!("[{base}-{}]", displacement.unsigned_abs()),
        }
    }
}

/// How many registers of the floating-point stack the code reads before it fills them.
fn floating(code: &[Instruction]) -> u8 {
    let mut factory = InstructionInfoFactory::new();
    let (mut filled, mut needed) = (0i32, 0i32);
    for instruction in code {
        for used in factory.info(instruction).used_registers() {
            let read = !matches!(used.access(), OpAccess::Write | OpAccess::CondWrite | OpAccess::None);
            if used.register().is_st() && read {
                needed = needed.max(used.register().number() as i32 + 1 - filled);
            }
        }
        let change = instruction.fpu_stack_increment_info();
        if change.conditional() {
            break;
        }
        filled -= change.increment();
    }
    needed.clamp(0, 8) as u8
}
